"""The program's entry. `serve` claims the protocol's streams before anything else is imported."""

import gc
import sys


def main() -> None:
    """Runs the command named on the command line; `serve` is what 1Code starts."""
    arguments = sys.argv[1:]
    if arguments == ["serve"]:
        from sidecar.rpc import stdio

        pipe = stdio.claim()
        gc.disable()  # what is loaded at start stays: App switches it on after the warm-up
        from sidecar.cli import serve

        serve.run(pipe)
    if arguments == ["analyse"]:
        from sidecar.rpc import stdio

        pipe = stdio.claim()
        from sidecar.cli import analyse

        analyse.run(pipe)
    from sidecar.cli.main import run

    sys.exit(run(arguments))


if __name__ == "__main__":
    main()
