"""The program's entry. `serve` claims the protocol's streams before anything else is imported."""

import gc
import sys


def main() -> None:
    """Runs the command named on the command line; `serve` is what 1Code starts.

    Under the name `spool` (a link to the program, or a copy of it) it is that command.
    """
    arguments = sys.argv[1:]
    if _own_name() == "spool":
        spool()
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
    if arguments[:1] == ["hook"] and len(arguments) == 2:
        _hook(arguments[1])
    from sidecar.cli.main import run

    sys.exit(run(arguments))


def _hook(name: str) -> None:
    """Runs one of Claude Code's hooks, with as little loaded as that takes; what else `hook` can do is a command."""
    if name == "linger":
        from sidecar.cli.hook_daemon import run as linger

        sys.exit(linger())
    from sidecar.cli.hook_client import EVENTS, run

    if name in EVENTS:
        run(name)


def spool() -> None:
    """Runs the command `spool`."""
    from sidecar.cli.main import spool as run

    sys.exit(run(sys.argv[1:]))


def _own_name() -> str:
    """The name the program was called by; without `os.path`, which start-up does not wait for."""
    return sys.argv[0].replace("\\", "/").rpartition("/")[2].lower().removesuffix(".exe")


if __name__ == "__main__":
    main()
