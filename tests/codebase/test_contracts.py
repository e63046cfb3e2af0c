"""What counts as a changed contract of a file, by language."""

import pytest

from sidecar.codebase.contracts import Contract, Sides, changed_contracts, needs_texts, parameters
from sidecar.codebase.summary.summarise import summarise

MANY = ", ".join(f"parameter_{number}: int = {number}" for number in range(20))


def sides(path: str, before: str, after: str | None) -> Sides:
    now = summarise(path, after.encode()) if after is not None else None
    return Sides(summarise(path, before.encode()), now, before, after or "")


def told(path: str, before: str, after: str | None) -> list[tuple[str, str, str]]:
    found = changed_contracts({path: sides(path, before, after)}, {})
    return [(one.name, one.before, one.after) for one in found]


@pytest.mark.parametrize(
    ("path", "before", "after", "expected"),
    [
        ("a.py", "def f(a, b): ...\n", "def f(a, b, c=1): ...\n", [("f", "def f(a, b)", "def f(a, b, c=1)")]),
        ("a.py", "class A:\n  def f(self, a): ...\n", "class A:\n  def f(self): ...\n",
         [("A.f", "def f(self, a)", "def f(self)")]),
        ("a.py", "class A:\n  def f(self): ...\n", "class B: ...\n", [("A", "class A", "")]),
        ("a.py", "def f(a): ...\n", "def g(a): ...\n", [("f", "def f(a)", "def g(a)")]),
        ("a.py", "def f(): ...\n", None, [("", "module", "")]),
        ("a.ts", "export interface P { a: string }\n", "export interface P { a: number }\n",
         [("P", "export interface P { a: string }", "export interface P { a: number }")]),
        ("a.go", "package x\nfunc Do(a string) {}\n", "package x\nfunc Do(a int) {}\n",
         [("Do", "func Do(a string)", "func Do(a int)")]),
    ],
)  # fmt: skip
def test_a_changed_or_removed_public_signature_is_one(
    path: str, before: str, after: str | None, expected: list[tuple[str, str, str]]
) -> None:
    assert told(path, before, after) == expected


@pytest.mark.parametrize(
    ("path", "before", "after"),
    [
        ("a.py", "def f(a, b=3): return 1\n", "def f(a: int, b: int = 3) -> int: return 2\n"),
        ("a.py", "def f(a, b):\n  return 1\n", "def f(\n  a,\n  b,\n):\n  return 1\n"),
        ("a.py", "LIMIT = 4\n", "LIMIT = 5\n"),
        ("a.py", "def f(): ...\n", "from b import f\n"),
        ("a.py", "def _f(a): ...\n", "def _f(): ...\n"),
        ("a.py", "def f(a): ...\n", "def f(a): ...\ndef g(): ...\n"),
        ("a.ts", "function f(a: string) {}\n", "function f() {}\n"),
        ("a.go", "package x\nfunc do(a int) {}\n", "package x\nfunc do() {}\n"),
    ],
    ids=["annotated", "wrapped", "value", "passed on", "private", "added", "not exported", "lower case"],
)
def test_what_breaks_nobody_is_none(path: str, before: str, after: str) -> None:
    assert told(path, before, after) == []


def test_what_moved_to_another_of_the_files_is_told_as_moved() -> None:
    files = {
        "a.py": sides("a.py", "def f(x): ...\ndef g(): ...\n", "def g(): ...\n"),
        "b.py": Sides(None, summarise("b.py", b"def f(x): ...\n")),
    }
    assert changed_contracts(files, {}) == [Contract("a.py", "f", "def f(x)", "", "b.py")]


def test_the_texts_tell_where_a_signature_was_cut() -> None:
    both = sides("a.py", f"def f({MANY}):\n    pass\n", f"def f({MANY}, last=1):\n    pass\n")
    assert needs_texts(both)
    (one,) = changed_contracts({"a.py": both}, {})
    assert one.after.endswith("last=1)")


def test_parameters_are_cut_at_their_own_commas() -> None:
    assert parameters("func (t *T) Run(a int, b map[string]int) error") == (
        "func (t *T) Run", ["a int", "b map[string]int"], "error",
    )  # fmt: skip
    assert parameters("def f(a: dict[str, int], *, b=(1, 2)) -> int")[1] == ["a: dict[str, int]", "*", "b=(1, 2)"]
