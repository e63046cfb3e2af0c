"""`onecode-sidecar serve` with the rows of tests/support/rows.py behind the catalog."""

from sidecar.rpc import stdio

if __name__ == "__main__":
    pipe = stdio.claim()
    from sidecar.cli import serve
    from tests.support.memory import with_rows
    from tests.support.rows import METHODS

    serve.run(pipe, with_rows(METHODS))
