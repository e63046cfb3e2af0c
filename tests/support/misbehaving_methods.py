"""Methods that misbehave in a known way, for a sidecar in its own process."""

import ctypes
import os
import subprocess
import sys
import time

from sidecar.call import Call
from sidecar.connection_messages import Progress, ProgressParams
from sidecar.core.wire_types import Empty, WireModel
from sidecar.method import Lane, method


class Seconds(WireModel):
    """Duration, workspace, and any text."""

    seconds: float = 0.0
    cwd: str = ""
    text: str = ""


class Text(WireModel):
    """A text."""

    text: str


def sleep(_call: Call, params: Seconds) -> Empty:
    """Sleep, ignoring cancellation."""
    time.sleep(params.seconds)
    return Empty()


def spin(_call: Call, params: Seconds) -> Empty:
    """Compute in pure Python, ignoring cancellation."""
    give_up_at = time.monotonic() + params.seconds
    while time.monotonic() < give_up_at:
        sum(range(1000))
    return Empty()


def count(call: Call, params: Seconds) -> Empty:
    """Report progress until cancelled or the time is over."""
    give_up_at = time.monotonic() + params.seconds
    done = 0
    while time.monotonic() < give_up_at:
        call.cancellation.check()
        done += 1
        progress = Progress(phase="counting", done=done, total=done + 1)
        call.notify("$/progress", ProgressParams(token=call.request_id, value=progress))
        time.sleep(0.002)
    return Empty()


def write_to_stdout(_call: Call, params: Empty) -> Empty:  # noqa: ARG001  (the row reads its annotation)
    """Write to stdout in every way a dependency might."""
    print("a print", flush=True)
    sys.stdout.write("a write\n")
    sys.stdout.flush()
    os.write(1, b"a raw write\n")
    libc = ctypes.CDLL(None)
    libc.puts(b"a line from C")
    libc.fflush(None)
    subprocess.run(["/bin/sh", "-c", "echo a child; echo a child again >&2"], check=True)
    return Empty()


def read_stdin(_call: Call, params: Empty) -> Text:  # noqa: ARG001  (the row reads its annotation)
    """Return what a child, and this process itself, can read from stdin."""
    child = subprocess.run(["/bin/cat"], capture_output=True, check=True)
    return Text(text=child.stdout.decode() + sys.stdin.read())


def fail(_call: Call, params: Text) -> Empty:
    """Raise an unexpected error with the caller's text in it."""
    try:
        vars(params)[params.text + "?"]
    except KeyError as error:
        raise RuntimeError(f"could not do it with {params.text}") from error
    return Empty()


def leave(_call: Call, params: Empty) -> Empty:  # noqa: ARG001  (the row reads its annotation)
    """Exit the interpreter, as a careless dependency might."""
    sys.exit(3)


METHODS = (
    method("test/sleep", sleep, lane=Lane.SHARED),
    method("test/sleepThere", sleep, lane=Lane.WORKSPACE),
    method("test/sleepJob", sleep, lane=Lane.JOB),
    method("test/spin", spin, lane=Lane.SHARED),
    method("test/spinJob", spin, lane=Lane.JOB),
    method("test/count", count, lane=Lane.JOB),
    method("test/babble", write_to_stdout, lane=Lane.SHARED),
    method("test/readStdin", read_stdin, lane=Lane.SHARED),
    method("test/fail", fail, lane=Lane.SHARED),
    method("test/leave", leave, lane=Lane.SHARED),
)
