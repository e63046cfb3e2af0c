"""A memory file and its entries, stand-alone and in groups, as people and programs write them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sidecar.core.errors import PolicyDenied
from sidecar.memory import Memory, ParsedMemoryFile
from sidecar.memory.files import Edit, document, location_of
from sidecar.memory.files.document import escape_heading, fence_after, unescape_heading
from tests.support.cases import together

PATH = "shared/daily/2026-03-01/session-001-digest.md"
DIGEST = """---
session: abc
agent: dev
created_at: 2026-03-01T09:00:00Z
mood: good  # mine
---

# Session 1

Some words before.

## JWT, not sessions ##
<!-- id=mem-2026-03-01-001 type=decision author=user at=2026-03-01T09:30:00Z confidence=0.8 mine="kept as it is" -->

A stateless API.

```sh
## no heading
```

## CORS fails on another port
<!--id=mem-2026-03-01-002 type=error_pattern tags=cors,proxy evidence_count=3-->
Add a proxy.

## Added by hand

No facts here.
"""
TEXTS = st.text(st.characters(exclude_categories=["Cs", "Cc"], include_characters="\n`#<!->=id ~"), max_size=60)


def read(content: bytes | str, path: str = PATH) -> ParsedMemoryFile:
    place = location_of(path)
    assert place is not None
    return document.read(content if isinstance(content, bytes) else content.encode(), path, place, 0)


def title_of(title: str) -> str:
    return unescape_heading(escape_heading(title))


def by_id(parsed: ParsedMemoryFile, memory_id: str) -> Memory:
    return next(entry for entry in parsed.memories if entry.id == memory_id)


def test_a_session_file_is_a_group_of_entries_with_their_own_facts() -> None:
    parsed = read(DIGEST)
    assert parsed.is_group
    assert not parsed.warning
    first, second, third = parsed.memories
    assert (first.id, first.title, first.type, first.author) == (
        "mem-2026-03-01-001", "JWT, not sessions", "decision", "user",
    )  # fmt: skip
    assert first.text == "A stateless API.\n\n```sh\n## no heading\n```"
    assert (second.type, second.tags, second.evidence, second.text) == (
        "error_pattern", ("cors", "proxy"), 3, "Add a proxy.",
    )  # fmt: skip
    assert [entry.position for entry in parsed.memories] == [0, 1, 2]
    assert {entry.group_key for entry in parsed.memories} == {PATH}
    assert {entry.session for entry in parsed.memories} == {"abc"}
    assert (third.id.startswith("mem-file-"), third.title, third.agent) == (True, "Added by hand", "dev")


def test_one_entry_changes_and_every_other_byte_stays() -> None:
    second = by_id(read(DIGEST), "mem-2026-03-01-002")
    edit = Edit({"confidence": 0.9, "tags": ["cors"]}, "CORS", "Use the proxy.")
    changed = document.edit_entry(DIGEST.encode(), second, edit, is_group=True).decode()
    assert changed == DIGEST.replace("## CORS fails on another port", "## CORS").replace(
        "tags=cors,proxy evidence_count=3-->\nAdd a proxy.",
        "tags=cors evidence_count=3 confidence=0.9 -->\nUse the proxy.",
    )


def test_an_entry_is_removed_and_every_other_byte_stays() -> None:
    first = by_id(read(DIGEST), "mem-2026-03-01-001")
    rest = document.remove_entry(DIGEST.encode(), first)
    start, end = DIGEST.index("## JWT"), DIGEST.index("## CORS")
    assert (rest or b"").decode() == DIGEST[:start] + DIGEST[end:]


def test_removing_the_last_entry_removes_the_file() -> None:
    content = document.append_entry(document.new_group({}, "G"), {"id": "mem-1"}, "One", "text")
    assert document.remove_entry(content, read(content).memories[0]) is None


def test_an_unclosed_fence_hides_no_entry_that_has_facts() -> None:
    parsed = read(DIGEST.replace("## no heading\n```", "## no heading"))
    assert [entry.id for entry in parsed.memories][:2] == ["mem-2026-03-01-001", "mem-2026-03-01-002"]


@given(st.lists(st.tuples(TEXTS, TEXTS), min_size=1, max_size=4), st.sampled_from(["\n", "\r\n"]))
def test_no_text_forges_another_entry_or_hides_one(words: list[tuple[str, str]], line_end: str) -> None:
    content = document.new_group({"session": "s"}, "Digest").replace(b"\n", line_end.encode())
    for number, (title, text) in enumerate(words):
        content = document.append_entry(content, {"id": f"mem-{number}", "author": text[:50]}, title, text)
    parsed = read(content).memories
    assert [entry.id for entry in parsed] == [f"mem-{number}" for number in range(len(words))]
    assert [entry.title for entry in parsed] == [title_of(title) for title, _ in words]


HARD_TEXTS = [
    "<!-- TODO: remove -->", "  <!-- a\n&lt;!-- b\n&amp;lt;!-- c -->", "## Context\nOne.\n### Deeper\n\\## Escaped",
    "```sh\n## in a fence\n```\n## outside", "Before\n```py\nnever closed\n## Context", "~~~\n```\n\\```\n```",
    "One\r\nTwo\rThree", "&lt;!--\n&amp;amp;lt;!--", "## Forged\n<!-- id=mem-1 type=decision -->\n\nText",
    "# Title\n\nText", "One <!-- id=mem-2 --> two",
    "---\nid: mem-2\n---", "Ends with a mark #", "[continuity:anchor 00]", "\n  Indented\n", " ", "\n\n", "&#10;",
    " &#32;", "&amp;#10;x&#8364;", "  ```\n## x\n```\t", " <!-- a -->\n", "\r\nLast line\r\n", "   ## x\u00a0",
    "&#99999;",
]  # fmt: skip


@given(TEXTS, st.one_of(TEXTS, st.sampled_from(HARD_TEXTS), st.text(max_size=40)))
def test_every_text_and_title_reads_back_as_it_was_written(title: str, text: str) -> None:
    text, title = text.encode("utf-8", "replace").decode(), " ".join(title.split())
    written = document.new_memory({"id": "mem-1"}, title, text)
    group = document.append_entry(document.new_group({}, "Digest"), {"id": "mem-1"}, title, text)
    group = document.append_entry(group, {"id": "mem-2"}, "Next", "The next one.")
    for content, path in ((written, "shared/durable/x.md"), (group, PATH)):
        entry = read(content, path).memories[0]
        assert (entry.id, entry.title, entry.text) == ("mem-1", title or "Untitled", text)
    alone = document.extract_entry(group, read(group).memories[0])
    assert read(alone, "shared/durable/x.md").memories[0].text == text
    assert read(group).memories[1].text == "The next one."


@given(TEXTS, TEXTS)
def test_a_single_memory_is_never_read_as_a_group(title: str, text: str) -> None:
    parsed = read(document.new_memory({"id": "mem-1"}, title, text), "shared/durable/x.md")
    assert [entry.id for entry in parsed.memories] == ["mem-1"]
    assert not parsed.is_group


@given(TEXTS, TEXTS, TEXTS)
def test_facts_and_text_of_an_entry_are_edited(title: str, text: str, fact: str) -> None:
    first = by_id(read(DIGEST), "mem-2026-03-01-001")
    edit = Edit({"type": "lesson", "note": fact}, title, text)
    parsed = read(document.edit_entry(DIGEST.encode(), first, edit, is_group=True))
    assert [entry.id for entry in parsed.memories][:2] == ["mem-2026-03-01-001", "mem-2026-03-01-002"]
    assert len(parsed.memories) == 3
    assert (parsed.memories[0].title, parsed.memories[0].type) == (title_of(title), "lesson")
    assert parsed.memories[1:] == read(DIGEST).memories[1:]


@together(
    ("content", "warning", "memory_id"),
    [
        (b"---\nid: mem-1\ntags: [\n---\n# T\ntext\n", "The front matter is not valid YAML in line 4.", "mem-1"),
        (b"---\nid: mem-1\n# T\ntext\n", "The front matter has no closing line `---`.", "mem-1"),
        (b"---\nid: mem-1\n---\n\xff text\n", "The file is not UTF-8.", "mem-1"),
        (b"x" * (2**20 + 1), "The file is larger than 1 MiB and is not read.", None),
        (b"---\nid: mem-1\nconfidence: much\n---\n", "`confidence` is not a number.", "mem-1"),
        (b"---\nid: ../x\n---\n", "`id` may contain only letters, digits, hyphens and dots.", None),
        (b"---\nid: mem-1\ncreated_at: now\n---\n", "`created_at` is not a time like 2026-03-01T09:30:00Z.", "mem-1"),
        (b"---\nid: mem-1\n---\n", "The file has neither a title nor a text.", "mem-1"),
    ],
)
def test_a_damaged_file_gets_a_warning_and_is_listed(content: bytes, warning: str, memory_id: str | None) -> None:
    parsed = read(content, "shared/durable/x.md")
    assert parsed.warning == warning
    (entry,) = parsed.memories
    assert entry.id == memory_id if memory_id else entry.id.startswith("mem-file-")


NO_OPENING = "The front matter does not begin with a line `---` at the top of the file."


@together(
    ("content", "warning"),
    [
        ("\u2014\nid: mem-1\n\u2014\n\n# T\n\ntext\n", NO_OPENING),
        ("\n---\nid: mem-1\n---\n\n# T\n\ntext\n", NO_OPENING),
        ("id: mem-1\ntype: decision\n---\n\n# T\n\ntext\n", NO_OPENING),
        ("---\nid: mem-1\n\u2014\n\n# T\n\ntext\n", "The front matter has no closing line `---`."),
        ("---\rid: mem-1\r---\r\r# T\r\rtext\r", "The file's lines end with CR alone; save it with LF or CRLF."),
    ],
)
def test_a_file_whose_front_matter_an_editor_broke_keeps_its_id_and_title(content: str, warning: str) -> None:
    parsed = read(content, "shared/durable/x.md")
    [entry] = parsed.memories
    assert (parsed.warning, entry.id, entry.title, entry.text) == (warning, "mem-1", "T", "text")
    with pytest.raises(PolicyDenied):
        document.edit_entry(content.encode(), entry, Edit({"tier": "hot"}), is_group=False)


def test_a_file_without_an_id_has_the_one_in_its_name() -> None:
    parsed = read("---\ntype: preference\n---\n\n# T\n", "shared/durable/2026-03-01-use-pnpm-007.md")
    assert parsed.warning == "The file has no `id`; its name is that of mem-2026-03-01-007."
    assert [entry.id for entry in parsed.memories] == ["mem-2026-03-01-007"]
    damaged = read("\u2014\ntype: preference\n\u2014\n\n# T\n", "shared/durable/2026-03-01-007.md")
    assert (damaged.warning, damaged.memories[0].id) == (NO_OPENING, "mem-2026-03-01-007")


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"\xef\xbb\xbf \n",
        b"\x89PNG\r\n\x1a\n\0\0\xff",
        b"---\ntags: [\n---\n# T\ntext\n",
        b"\n---\ntags: [a]\n---\n",
    ],
)
def test_a_damaged_file_without_an_id_is_reported_and_not_a_memory(
    content: bytes,
) -> None:
    parsed = read(content, "shared/durable/x.md")
    assert (parsed.memories, bool(parsed.warning)) == ((), True)


@pytest.mark.parametrize(
    "content", [b"---\nid: mem-1\ntags: [\n---\n# T\n", b"---\nid: mem-1\n", b"---\nid: mem-1\n---\n\xff"]
)
def test_a_damaged_file_is_never_written(content: bytes) -> None:
    memory = read(content, "shared/durable/x.md").memories[0]
    with pytest.raises(PolicyDenied):
        document.edit_entry(content, memory, Edit({"tier": "hot"}), is_group=False)


@together(
    ("content", "title", "text"),
    [
        ("# T\n\nOne.\n", "T", "One."),
        ("\ufeff---\r\nid: mem-1\r\n---\r\n\r\n# T #\r\n\r\nOne.\r\n", "T", "One."),
        ("Only words.\nMore.\n", "Only words.", "Only words.\nMore."),
        ("# T\n\nSee <!-- a --> and id=3.\n", "T", "See <!-- a --> and id=3."),
        ("---\nid: mem-1\n---\n", "x", ""),
    ],
)
def test_titles_and_texts_of_hand_written_files(content: str, title: str, text: str) -> None:
    (entry,) = read(content, "shared/durable/x.md").memories
    assert (entry.title, entry.text) == (title, text)


def test_reading_makes_no_new_version_but_any_edit_does() -> None:
    content = document.new_memory({"id": "mem-1", "access_count": 0, "tags": ["a"]}, "T", "text")
    entry = read(content, "shared/durable/x.md").memories[0]
    counted = document.edit_entry(content, entry, Edit({"access_count": 4, "tier": "hot"}), is_group=False)
    assert read(counted, "shared/durable/x.md").memories[0].version == entry.version
    for edit in (Edit({"tags": ["b"]}), Edit({}, title="U"), Edit({}, text="other"), Edit({"mine": "x"})):
        changed = document.edit_entry(content, entry, edit, is_group=False)
        assert read(changed, "shared/durable/x.md").memories[0].version != entry.version


@together(
    ("fence", "line", "after"),
    [
        ("", "```sh", "```"),
        ("", "~~~~", "~~~~"),
        ("", "``` a`b", ""),
        ("", "~~~ a`b", "~~~"),
        ("", "    ```", ""),
        ("```", "~~~", "```"),
        ("```", "````", ""),
        ("````", "```", "````"),
        ("```", "``` sh", "```"),
        ("```", "text", "```"),
    ],
)
def test_a_code_fence_ends_with_one_of_its_kind_and_length(fence: str, line: str, after: str) -> None:
    assert fence_after(fence, line) == after
