"""The program's entry point. `serve` claims the protocol's streams before anything else is imported."""

import gc
import os
import sys


def main() -> None:
    """Run the command on the command line; 1Code starts `serve`.

    A program file or link named `spool` runs that command.
    """
    _preserve_own_permissions()
    arguments = sys.argv[1:]
    if _program_name() == "spool":
        spool()
    if arguments == ["serve"]:
        from sidecar.rpc import claim_stdio

        pipe = claim_stdio.claim()
        gc.disable()  # modules loaded at start stay alive; App enables collection after the warm-up
        from sidecar.cli import serve

        serve.run(pipe)
    if arguments == ["analyse"]:
        from sidecar.rpc import claim_stdio

        pipe = claim_stdio.claim()
        from sidecar.system.worker_processes import serve_lines, skip_public_face

        skip_public_face("sidecar.codebase", "search", "summary", "worktree")
        from sidecar.codebase.file_analysis_worker import handle_request

        serve_lines(pipe.read_fd, pipe.write_fd, handle_request)
    if arguments[:1] == ["hook"] and len(arguments) in (2, 3):
        _hook(*arguments[1:])
    from sidecar.cli import run

    sys.exit(run(arguments))


def _hook(name: str, agent: str = "claude") -> None:
    """Run an agent's hook with as few imports as possible; anything else below `hook` is a command."""
    if name == "daemon":
        from sidecar.cli.hook_daemon import run as run_daemon

        sys.exit(run_daemon())
    from sidecar.cli.hook_client import AGENTS, EVENTS, run

    if name in EVENTS and agent in AGENTS:
        run(name, agent)


def spool() -> None:
    """Run the command `spool`."""
    _preserve_own_permissions()
    from sidecar.cli import spool as run

    sys.exit(run(sys.argv[1:]))


def _preserve_own_permissions() -> None:
    """Ignore what the umask takes from the user itself: without it, no file that we create could be opened again."""
    os.umask(os.umask(0o077) & 0o077)


def _program_name() -> str:
    """Return the name the program was started under; without `os.path`, which would delay the start."""
    return sys.argv[0].replace("\\", "/").rpartition("/")[2].lower().removesuffix(".exe")


if __name__ == "__main__":
    main()
