"""A prompt that names a file is about it, its linked files, and clear word matches."""

from sidecar.codebase import RankedFile
from sidecar.packs import above_cutoff

NAMED = RankedFile("src/cart.py", 20.0, {"namedPath": 14.0, "text": 2.37}, ("cart",), ())
MENTIONED = RankedFile("src/till.py", 24.0, {"mentioned": 20.0}, (), ())


def other(path: str = "src/other.py", matched: tuple[str, ...] = ("fix",), **parts: float) -> RankedFile:
    return RankedFile(
        path, sum(parts.values()), parts, matched, (("imports", "src/cart.py"), ("changedTogether", "src/x.py"))
    )


def test_without_a_named_file_all_files_remain() -> None:
    found = [other("a.py", text=0.1), other("b.py", recent=1.0)]
    assert above_cutoff(found) == found


def test_instruction_files_are_dropped_unless_named() -> None:
    rules, own = other("AGENTS.md", text=2.0), other("web/CLAUDE.md", text=2.0, namedPath=14.0)
    assert above_cutoff([rules, other("a.py", text=1.0)]) == [other("a.py", text=1.0)]
    assert above_cutoff([own, rules]) == [own]


def test_a_named_file_keeps_its_linked_files() -> None:
    linked, faintly, elsewhere = other("a.py", imports=0.5), other("b.py", imports=0.1), other("c.py", together=0.9)
    assert above_cutoff([NAMED, linked, faintly, elsewhere]) == [NAMED, linked]


def test_all_named_and_mentioned_files_remain() -> None:
    assert above_cutoff([MENTIONED, NAMED, other("a.py", recent=1.0)]) == [MENTIONED, NAMED]


def test_a_file_with_clear_word_matches_is_included() -> None:
    clear = other("a.py", ("discount", "apply"), text=2.0, passage=1.5)
    one_word = other("b.py", ("discount",), text=2.0, passage=1.5)
    in_passing = other("c.py", ("discount", "apply"), text=0.4, passage=0.3)
    assert above_cutoff([NAMED, clear, one_word, in_passing]) == [NAMED, clear]
