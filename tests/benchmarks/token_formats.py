"""The token formats of two detectors, and how many of them the sidecar masks.

Twenty texts are drawn from each pattern, with a fixed seed. A pattern counts if at least 18 of them are masked. A value
that a detector finds only beside a service's name stands in `SERVICE_API_KEY=…`, any other in `x = '…'`.
"""

import argparse
import importlib
import random
import re
import string
import sys
import tomllib
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from sidecar.core.redact import redact

TEXTS, ENOUGH = 20, 18
MAX_MORE = 12
"""An open repetition is drawn at most this much longer than its minimum."""
VISIBLE_RUN = 7
MIN_LONG = 12
"""Of a value longer than this, neither the end nor the middle may be visible."""

_LETTERS = string.ascii_letters + string.digits
_CLASSES = {"CATEGORY_DIGIT": string.digits, "CATEGORY_WORD": f"{_LETTERS}_", "CATEGORY_SPACE": " "}
_BESIDE_NAME = r"[\w.-]{0,50}?"
"""What gitleaks writes before a service's name."""
_GO_PATTERN = re.compile(r"(\w+)\s*=\s*regexp\.MustCompile\(\s*(detectors\.PrefixRegex\([^)]*\)\s*\+\s*)?`([^`]*)`")
_NO_SECRET = re.compile(r"(?i)id|url|host|domain|e?mail|user|name|endpoint|region|account")
_SECRET = re.compile(r"(?i)key|token")
_PARSER: Any = importlib.import_module("re._parser")
"""The only parser of patterns in the standard library."""


class CannotDraw(Exception):
    """A pattern has a part that no text is drawn from."""


class Format(NamedTuple):
    """A detector's pattern, and how its values are written: `{}` is the text, or the value beside a name."""

    name: str
    pattern: str
    around: str
    only_value: bool


class Draw:
    """Draws texts from patterns."""

    def __init__(self) -> None:
        self._random = random.Random(5)
        self._groups: dict[int | None, str] = {}

    def text_and_value(self, pattern: str) -> tuple[str, str]:
        """Return a text that matches, and its first group, which is the secret where there is one."""
        self._groups = {}
        text = self._text(_PARSER.parse(_for_python(pattern)))
        return text, self._groups.get(1) or text

    def _text(self, parts: Any) -> str:
        return "".join(self._part(str(kind), value) for kind, value in parts)

    def _part(self, kind: str, value: Any) -> str:
        match kind:
            case "LITERAL":
                return chr(value)
            case "NOT_LITERAL" | "ANY":
                return self._random.choice(_LETTERS)
            case "IN":
                return self._random.choice(_members(value))
            case "MAX_REPEAT" | "MIN_REPEAT":
                fewest, most, inner = value
                limit = min(int(most), fewest + MAX_MORE) if fewest or int(most) == 1 else 1
                return "".join(self._text(inner) for _ in range(self._random.randint(fewest, limit)))
            case "SUBPATTERN":
                self._groups[value[0]] = text = self._text(value[3])
                return text
            case "BRANCH":
                return self._text(self._random.choice(value[1]))
            case "AT" | "ASSERT" | "ASSERT_NOT":
                return ""
            case _:
                raise CannotDraw(kind)


def _members(items: Any) -> str:
    members, is_negated = "", False
    for kind, value in items:
        match str(kind):
            case "NEGATE":
                is_negated = True
            case "LITERAL":
                members += chr(value)
            case "RANGE":
                members += "".join(map(chr, range(value[0], min(value[1], 126) + 1)))
            case _ if str(value) in _CLASSES:
                members += _CLASSES[str(value)]
            case _:
                raise CannotDraw(str(value))
    if is_negated:
        return "".join(sorted(set(_LETTERS) - set(members)))
    return "".join(sorted(set(members))) if members.strip() else members


def _for_python(pattern: str) -> str:
    """Return a pattern of Go as Python reads it; flags within it do not change what is drawn."""
    pattern = pattern.replace(r"\z", "$").replace("[[:alnum:]]", "[A-Za-z0-9]").replace("[:alnum:]", "A-Za-z0-9")
    pattern = pattern.replace("(?i:", "(?:")
    pattern = re.sub(r"\(\?-i:", "(?:", pattern)
    pattern = re.sub(r"\(\?[imsU]+\)", "", pattern)
    return re.sub(r"\(\?P?<(\w+)>", r"(?P<\1>", pattern).replace(r"[\s\S]", "[A-Za-z0-9]")


def is_masked(text: str, value: str) -> bool:
    """Whether a value is masked in a text, apart from a beginning, such as a webhook's server."""
    shown, value = redact(text), value.rpartition("//")[2]
    middle = len(value) * 2 // 3
    if shown == text or value in shown:
        return False
    ends = (value[middle : middle + VISIBLE_RUN], value[-VISIBLE_RUN:])
    return len(value) <= MIN_LONG or not any(end in shown for end in ends)


def masked_texts(form: Format, draw: Draw) -> tuple[int, str]:
    """Return how many of the drawn texts are masked, and one of those that are not."""
    count, missed = 0, ""
    for _ in range(TEXTS):
        text, value = draw.text_and_value(form.pattern)
        shown = form.around.format(value if form.only_value else text)
        if is_masked(shown, value):
            count += 1
        else:
            missed = shown
    return count, missed


def gitleaks_formats(file: Path) -> Iterator[tuple[str, Format]]:
    """Yield the formats of a `gitleaks.toml`, each with the group it is reported in."""
    for rule in tomllib.loads(file.read_text(encoding="utf-8"))["rules"]:
        name, pattern = rule["id"], rule.get("regex")
        if pattern and _BESIDE_NAME in pattern:
            service = name.partition("-")[0].upper()
            yield "gitleaks, beside a service's name", Format(name, pattern, f"{service}_API_KEY={{}}", True)
        elif pattern:
            yield "gitleaks, without a name", Format(name, pattern, "x = '{}'", False)


def trufflehog_formats(folder: Path) -> Iterator[tuple[str, Format]]:
    """Yield the formats below TruffleHog's `pkg/detectors` that need no name beside them and are not an id."""
    for file in sorted(folder.rglob("*.go")):
        if file.name.endswith("_test.go"):
            continue
        for variable, prefix, pattern in _GO_PATTERN.findall(file.read_text(encoding="utf-8")):
            is_id = _NO_SECRET.search(variable) and not _SECRET.search(variable)
            if not (prefix or is_id):
                name = f"{file.relative_to(folder).parent}: {variable}"
                yield "TruffleHog, without a name", Format(name, pattern, "x = '{}'", False)


def main() -> int:
    """Print the figures by detector, and with `--missed` the formats that are not masked."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--gitleaks", type=Path, metavar="FILE", help="its config/gitleaks.toml")
    parser.add_argument("--trufflehog", type=Path, metavar="FOLDER", help="its pkg/detectors")
    parser.add_argument("--missed", action="store_true", help="print the formats that are not masked")
    options = parser.parse_args()
    warnings.simplefilter("ignore", FutureWarning)  # of a bracket in a class, which Go and Python read alike
    forms = [*(gitleaks_formats(options.gitleaks) if options.gitleaks else ())]
    forms += trufflehog_formats(options.trufflehog) if options.trufflehog else ()
    draw, undrawn = Draw(), 0
    counts: dict[str, int] = dict.fromkeys((group for group, _ in forms), 0)
    masked = dict(counts)
    for group, form in forms:
        try:
            count, missed = masked_texts(form, draw)
        except (CannotDraw, re.error, IndexError, OverflowError):
            undrawn += 1
            continue
        counts[group] += 1
        masked[group] += count >= ENOUGH
        if options.missed and count < ENOUGH:
            print(f"  {form.name}: {count} of {TEXTS}: {missed[:100]!r}")
    for group, count in counts.items():
        print(f"{group:34} {masked[group]:3} of {count:3} patterns masked")
    print(f"{undrawn} patterns from which no text is drawn")
    return 0


if __name__ == "__main__":
    sys.exit(main())
