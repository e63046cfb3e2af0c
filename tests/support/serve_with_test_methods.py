"""`onecode-sidecar serve` with the methods of tests/support/misbehaving_methods.py added."""

from sidecar.rpc import claim_stdio

if __name__ == "__main__":
    pipe = claim_stdio.claim()
    from sidecar.cli import serve
    from tests.support.memory_sidecar import with_rows
    from tests.support.misbehaving_methods import METHODS

    serve.run(pipe, with_rows(METHODS))
