"""What counts as a changed contract of a file, by language."""

import pytest

from sidecar.codebase.api_diff import ApiChange, FileVersions, api_changes, needs_texts, split_signature
from sidecar.codebase.summary.summarize import summarise

MANY = ", ".join(f"parameter_{number}: int = {number}" for number in range(20))


def sides(path: str, before: str, after: str | None) -> FileVersions:
    now = summarise(path, after.encode()) if after is not None else None
    return FileVersions(summarise(path, before.encode()), now, before, after or "")


def told(path: str, before: str, after: str | None) -> list[tuple[str, str, str]]:
    found = api_changes({path: sides(path, before, after)}, {})
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
        "b.py": FileVersions(None, summarise("b.py", b"def f(x): ...\n")),
    }
    assert api_changes(files, {}) == [ApiChange("a.py", "f", "def f(x)", "", "b.py")]


def test_the_texts_tell_where_a_signature_was_cut() -> None:
    both = sides("a.py", f"def f({MANY}):\n    pass\n", f"def f({MANY}, last=1):\n    pass\n")
    assert needs_texts(both)
    (one,) = api_changes({"a.py": both}, {})
    assert one.after.endswith("last=1)")


def test_a_call_that_a_constant_is_made_by_is_no_contract_however_long() -> None:
    head = "export const connect: Connect<Socket, Options> = helped(async (c, events) => {\n"
    made = head + "  if (c) {\n    return (%s)\n  }\n"
    rest = "  const a = (b: number) => b\n" * 4 + "})\n"
    before, after = (f"{made % one}{rest}" for one in ("one", "another"))
    assert told("a.ts", before, after) == []


def test_of_a_long_type_its_own_lines_tell_and_not_those_that_follow() -> None:
    members = "".join(f"  member_of_a_long_name_{number}: string\n" for number in range(9))
    text = "export type A = {\n%s}\n\nexport interface B {\n%s}\n\ntype C = { x: (a: string) => %s }\n"
    before = text % (members, members, "void")
    assert told("a.ts", before, text % (members, members, "number")) == []
    ((name, was, now),) = told("a.ts", before, text % (members + "  last?: false\n", members, "void"))
    assert (name, now.replace("\nlast?: false", "")) == ("A", was)


def test_a_long_interface_is_another_only_by_lines_that_are_no_members_of_their_own() -> None:
    members = "".join(f"  call_{number}(a: string): void;\n" for number in range(9))
    text = "export interface B extends Base<One, Two, Three> {\n%s  // said\n  last(%s): void;\n}\n"
    assert [name for name, _, _ in told("a.ts", text % (members, ""), text % (members, "a: number"))] == ["B.last"]


def test_what_a_function_gives_back_is_read_over_several_lines() -> None:
    given = ", ".join(f"long_parameter_{number}: string" for number in range(8))
    text = f"export function f({given}): Map<A,\n  %s> {{\n  return (1)\n}}\n"
    ((_, before, after),) = told("a.ts", text % "B", text % "C")
    assert (before.endswith(": Map<A, B>"), after.endswith(": Map<A, C>")) == (True, True)
    assert told("a.ts", text % "B", (text % "B").replace("(1)", "(2)")) == []


def test_a_member_that_went_to_the_class_it_is_inherited_from_is_there_as_before() -> None:
    before = "class Reader(Base):\n  def read(self): ...\n  def close(self): ...\n"
    files = {
        "a.py": sides("a.py", before, "class Reader(Base):\n  def close(self): ...\n"),
        "base.py": sides("base.py", "class Base: ...\n", "class Base:\n  def read(self): ...\n"),
    }
    assert api_changes(files, {}) == []
    assert [one.name for one in api_changes({"a.py": files["a.py"]}, {})] == ["Reader.read"]


def test_a_constant_that_moved_is_told_as_moved() -> None:
    files = {
        "a.py": sides("a.py", "LIMIT = 4\ndef g(): ...\n", "def g(): ...\n"),
        "b.py": FileVersions(None, summarise("b.py", b"LIMIT = 4\n")),
    }
    assert [one.moved_to for one in api_changes(files, {})] == ["b.py"]


def test_parameters_are_cut_at_their_own_commas() -> None:
    assert split_signature("func (t *T) Run(a int, b map[string]int) error") == (
        "func (t *T) Run", ["a int", "b map[string]int"], "error",
    )  # fmt: skip
    assert split_signature("def f(a: dict[str, int], *, b=(1, 2)) -> int")[1] == ["a: dict[str, int]", "*", "b=(1, 2)"]
