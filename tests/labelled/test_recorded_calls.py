"""What the tool calls of a recorded conversation name: the files that its agent used."""

from tests.benchmarks.recorded_context import EDITED, READ, Use, calls_in, names_most_paths, used_files

TREE = {"README.md", "src/cart.py", "src/till.py", "docs/notes.md"}


def _call(kind: str, tool: str, body: str) -> str:
    return f'<tool-use data-tool-type="{kind}" data-tool-name="{tool}"><details>\n{body}\n</details></tool-use>\n'


def test_reads_and_edits_are_distinguished() -> None:
    text = (
        _call("read", "read_file", "Read file: src/cart.py")
        + _call("generic", "replace_string_in_file", "- filePath: `/home/me/shop/src/till.py`")
        + _call("unknown", "apply_patch", '```json\n{\n  "relativeWorkspacePath": "docs/notes.md"\n}\n```')
        + _call("search", "grep", "Grep in src/cart.py")
        + _call("read", "WebFetch", "https://example.com/README.md")
    )
    assert used_files([calls_in(text)], TREE) == [
        [Use("src/cart.py", READ), Use("src/till.py", EDITED), Use("docs/notes.md", EDITED)]
    ]


def test_a_file_of_another_folder_is_not_the_one_at_the_top() -> None:
    own = _call("read", "read_file", "Read file: /home/me/shop/src/cart.py")
    top = _call("read", "read_file", "Read file: /home/me/shop/README.md")
    other = _call("read", "read_file", "Read file: /home/me/shop/packages/new/README.md")
    assert used_files([calls_in(own + other)], TREE) == [[Use("src/cart.py", READ)]]
    assert Use("README.md", READ) in used_files([calls_in(own + top)], TREE)[0]


def test_a_recording_that_omits_paths_is_recognised() -> None:
    named, unnamed = _call("write", "Edit", "Edit file: src/cart.py"), _call("write", "edit_file_v2", "")
    assert names_most_paths([calls_in(named * 4 + unnamed)])
    assert not names_most_paths([calls_in(named * 3), calls_in(unnamed)])
