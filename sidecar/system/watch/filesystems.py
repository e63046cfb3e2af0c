"""Which file systems of Linux tell all that happens on them: those that only this kernel writes to."""

import ctypes
import os

_LOCAL = {
    0xEF53: "ext", 0x58465342: "xfs", 0x9123683E: "btrfs", 0x01021994: "tmpfs", 0xF2F52010: "f2fs", 0x2FC12FC1: "zfs",
    0xCA451A4E: "bcachefs", 0x858458F6: "ramfs", 0x3153464A: "jfs", 0x52654973: "reiserfs",
}  # fmt: skip
"""By the number that statfs(2) gives. Not here: network, FUSE, overlay, virtual machine shares."""

_STATFS_BYTES = 256
"""More than `struct statfs` takes anywhere; its first word is the type."""


def is_local(folder: str) -> bool:
    """Says whether a folder lies on a file system whose events can be relied on."""
    libc = ctypes.CDLL(None, use_errno=True)
    buffer = ctypes.create_string_buffer(_STATFS_BYTES)
    if libc.statfs(os.fsencode(folder), buffer) != 0:
        return False
    return ctypes.c_long.from_buffer(buffer).value & 0xFFFFFFFF in _LOCAL


def mounted_below(folder: str) -> bool:
    """Says whether another file system is mounted somewhere below a folder; also when that cannot be known."""
    prefix = os.fsencode(folder).rstrip(b"/") + b"/"
    try:
        with open("/proc/self/mountinfo", "rb") as file:
            points = [line.split(b" ")[4] for line in file]
    except (OSError, IndexError):
        return True
    return any(_unescaped(point).startswith(prefix) for point in points)


def _unescaped(point: bytes) -> bytes:
    for code, char in ((b"\\040", b" "), (b"\\011", b"\t"), (b"\\012", b"\n"), (b"\\134", b"\\")):
        point = point.replace(code, char)
    return point
