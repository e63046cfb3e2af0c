"""The line of an error's output by which it is known again. Pure."""

from sidecar.core.regex import regex

MAX_LINE = 300

_TELLING = regex(
    r"(?m)^.{0,400}?(?P<line>(?:[\w.]{0,100}(?:Error|Exception|Failure|Warning|Panic)\b: .+)"
    r"|(?:\b(?:error|fatal|panic|failed|ERR!)(?:\[[\w-]{1,40}\])?: .+)|(?:\berror TS\d+: .+)"
    r"|(?:.{0,400}(?:command not found|No such file or directory|Permission denied|Connection refused|EADDRINUSE"
    r"|Cannot find module|is not recognized as|not found in PATH|Segmentation fault).*))$"
)


def error_line(output: str, subject: str = "") -> str:
    """Gives the last line that names an error, behind what failed; an output of one line is that line."""
    found = [match["line"].strip() for match in _TELLING.finditer(output[-20_000:])]
    if subject:
        return f"{subject} failed{': ' + found[-1] if found else ''}"[:MAX_LINE]
    if found:
        return found[-1][:MAX_LINE]
    lines = [line.strip() for line in output.splitlines() if line.strip()]
    return lines[0][:MAX_LINE] if len(lines) == 1 else ""
