"""Edits that change a file's API, by language."""

from sidecar.codebase import (
    ApiChange,
    FileVersions,
    api_changes,
    needs_texts,
    removed_exports,
    split_signature,
    summarize,
)
from tests.support.cases import together

MANY = ", ".join(f"parameter_{number}: int = {number}" for number in range(20))


def sides(path: str, before: str, after: str | None) -> FileVersions:
    now = summarize(path, after.encode()) if after is not None else None
    return FileVersions(summarize(path, before.encode()), now, before, after or "")


def changes_of(path: str, before: str, after: str | None) -> list[tuple[str, str, str]]:
    changes = api_changes({path: sides(path, before, after)}, {})
    return [(change.name, change.before, change.after) for change in changes]


@together(
    ("path", "before", "after", "expected"),
    [
        ("a.py", "def f(a, b): ...\n", "def f(a, b, c=1): ...\n", [("f", "def f(a, b)", "def f(a, b, c=1)")]),
        ("a.py", "class A:\n  def f(self, a): ...\n", "class A:\n  def f(self): ...\n",
         [("A.f", "def f(self, a)", "def f(self)")]),
        ("a.py", "class A:\n  def f(self): ...\n", "class B: ...\n", [("A", "class A", "")]),
        ("a.py", "def f(a): ...\n", "def g(a): ...\n", [("f", "def f(a)", "def g(a)")]),
        ("a.py", "def fit_a(x): ...\ndef run_a(x): ...\n", "def fit_b(x): ...\ndef run_b(x): ...\n",
         [("fit_a", "def fit_a(x)", "def fit_b(x)"), ("run_a", "def run_a(x)", "def run_b(x)")]),
        ("a.py", "def f(a): ...\ndef g(a): ...\n", "def h(a): ...\n", [("f", "def f(a)", ""), ("g", "def g(a)", "")]),
        ("a.ts", "export function f(a: A): B {}\n", "export function f(a: A): C {}\n",
         [("f", "export function f(a: A): B", "export function f(a: A): C")]),
        ("a.py", "def f(): ...\n", None, [("", "module", "")]),
        ("a.ts", "export interface P { a: string }\n", "export interface P { a: number }\n",
         [("P", "export interface P { a: string }", "export interface P { a: number }")]),
        ("a.go", "package x\nfunc Do(a string) {}\n", "package x\nfunc Do(a int) {}\n",
         [("Do", "func Do(a string)", "func Do(a int)")]),
    ],
)  # fmt: skip
def test_changed_or_removed_public_signature_is_an_api_change(
    path: str, before: str, after: str | None, expected: list[tuple[str, str, str]]
) -> None:
    assert changes_of(path, before, after) == expected


@together(
    ("path", "before", "after"),
    [
        ("a.py", "def f(a, b=3): return 1\n", "def f(a: int, b: int = 3) -> int: return 2\n"),
        ("a.py", "def f(a, b):\n  return 1\n", "def f(\n  a,\n  b,\n):\n  return 1\n"),
        ("a.py", "LIMIT = 4\n", "LIMIT = 5\n"),
        ("a.py", "def f(): ...\n", "from b import f\n"),
        ("a.py", "def _f(a): ...\n", "def _f(): ...\n"),
        ("a.py", "def f(a): ...\n", "def f(a): ...\ndef g(): ...\n"),
        ("a.ts", "function f(a: string) {}\n", "function f() {}\n"),
        ("a.ts", "export function f(a: A) {}\n", "export function f(a: A): B {}\n"),
        ("a.go", "package x\nfunc do(a int) {}\n", "package x\nfunc do() {}\n"),
    ],
)
def test_harmless_edit_is_not_an_api_change(path: str, before: str, after: str) -> None:
    assert changes_of(path, before, after) == []


def test_a_package_file_offers_the_names_of_its_imports_and_not_the_paths_of_modules() -> None:
    old, new = (
        summarize("__init__.py", b"from .shelf import book, page\n"),
        summarize("__init__.py", b"from .shelf import page\n"),
    )
    assert removed_exports(old, new) == ["book"]
    old, new = summarize("index.mjs", b"import {copy} from '../shelf';\n"), summarize("index.mjs", b"")
    assert removed_exports(old, new) == []


def test_definition_moved_between_the_files_is_reported_as_moved() -> None:
    files = {
        "a.py": sides("a.py", "def f(x): ...\ndef g(): ...\n", "def g(): ...\n"),
        "b.py": FileVersions(None, summarize("b.py", b"def f(x): ...\n")),
    }
    assert api_changes(files, {}) == [ApiChange("a.py", "f", "def f(x)", "", "b.py")]


def test_truncated_signatures_are_read_from_the_texts() -> None:
    both = sides("a.py", f"def f({MANY}):\n    pass\n", f"def f({MANY}, last=1):\n    pass\n")
    assert needs_texts(both)
    (change,) = api_changes({"a.py": both}, {})
    assert change.after.endswith("last=1)")


def test_value_of_a_constant_is_not_part_of_the_api() -> None:
    head = "export const connect: Connect<Socket, Options> = helped(async (c, events) => {\n"
    made = head + "  if (c) {\n    return (%s)\n  }\n"
    rest = "  const a = (b: number) => b\n" * 4 + "})\n"
    before, after = (f"{made % change}{rest}" for change in ("one", "another"))
    assert changes_of("a.ts", before, after) == []


def test_long_type_is_compared_by_its_own_lines() -> None:
    members = "".join(f"  member_of_a_long_name_{number}: string\n" for number in range(9))
    text = "export type A = {\n%s}\n\nexport interface B {\n%s}\n\ntype C = { x: (a: string) => %s }\n"
    before = text % (members, members, "void")
    assert changes_of("a.ts", before, text % (members, members, "number")) == []
    ((name, was, now),) = changes_of("a.ts", before, text % (members + "  last?: false\n", members, "void"))
    assert (name, now.replace("\nlast?: false", "")) == ("A", was)


def test_long_interface_is_compared_without_its_members() -> None:
    members = "".join(f"  call_{number}(a: string): void;\n" for number in range(9))
    text = "export interface B extends Base<One, Two, Three> {\n%s  // said\n  last(%s): void;\n}\n"
    assert [name for name, _, _ in changes_of("a.ts", text % (members, ""), text % (members, "a: number"))] == [
        "B.last"
    ]


def test_return_type_can_span_several_lines() -> None:
    given = ", ".join(f"long_parameter_{number}: string" for number in range(8))
    text = f"export function f({given}): Map<A,\n  %s> {{\n  return (1)\n}}\n"
    ((_, before, after),) = changes_of("a.ts", text % "B", text % "C")
    assert (before.endswith(": Map<A, B>"), after.endswith(": Map<A, C>")) == (True, True)
    assert changes_of("a.ts", text % "B", (text % "B").replace("(1)", "(2)")) == []


def test_member_moved_to_a_base_class_is_not_removed() -> None:
    before = "class Reader(Base):\n  def read(self): ...\n  def close(self): ...\n"
    files = {
        "a.py": sides("a.py", before, "class Reader(Base):\n  def close(self): ...\n"),
        "base.py": sides("base.py", "class Base: ...\n", "class Base:\n  def read(self): ...\n"),
    }
    assert api_changes(files, {}) == []
    assert [change.name for change in api_changes({"a.py": files["a.py"]}, {})] == ["Reader.read"]


def test_moved_constant_is_reported_as_moved() -> None:
    files = {
        "a.py": sides("a.py", "LIMIT = 4\ndef g(): ...\n", "def g(): ...\n"),
        "b.py": FileVersions(None, summarize("b.py", b"LIMIT = 4\n")),
    }
    assert [change.moved_to for change in api_changes(files, {})] == ["b.py"]


def test_parameters_are_split_at_top_level_commas() -> None:
    assert split_signature("func (t *T) Run(a int, b map[string]int) error") == (
        "func (t *T) Run", ["a int", "b map[string]int"], "error",
    )  # fmt: skip
    assert split_signature("def f(a: dict[str, int], *, b=(1, 2)) -> int")[1] == ["a: dict[str, int]", "*", "b=(1, 2)"]
    enum = "pub enum Result { Entry(u8), Error(Error) }"
    assert split_signature(enum) == ("pub enum Result ", ["Entry(u8)", "Error(Error)"], "")


def test_a_long_type_whose_text_was_not_read_is_compared_by_its_signature() -> None:
    members = "".join(f"  member{number}: string;\n" for number in range(30))
    text = f"export interface Message {{\n{members}}}\n"
    other = FileVersions(summarize("b.ts", b"export interface Old { a: string }\n"), None)
    files = {"a.ts": FileVersions(None, summarize("a.ts", text.encode())), "b.ts": other}
    assert [(change.before, change.after) for change in api_changes(files, {})] == [("module", "")]
