"""Laws of editing the registry's text, over realistic files."""

import re
from typing import Any

from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from sidecar.registry import parse_registry as parse
from sidecar.registry import put_entity, remove_entity, set_metadata
from tests.support.depth import examples

LAW = settings(max_examples=examples(60, 8), phases=(Phase.explicit, Phase.reuse, Phase.generate))
"""These texts are short enough to read unshrunk; shrinking one takes minutes."""

KEYS = st.from_regex(r"[a-z]{1,8}(-[a-z]{1,8})?", fullmatch=True).filter(
    lambda key: key not in ("null", "true", "false", "yes", "no", "on", "off", "y", "n")
)
TEXTS = st.text(st.characters(exclude_categories=("Cs", "Cc")), min_size=1, max_size=40)
COMMENTS = st.sampled_from(["", "", "  # noted by hand", "  # a: b, {c}"])
FIELDS = st.fixed_dictionaries(
    {"path": KEYS, "purpose": TEXTS},
    optional={"keywords": st.lists(KEYS, max_size=3), "adaptability": st.sampled_from([0.1, 0.4, 1.0]), "x-own": TEXTS},
)


def scalar(text: Any, draw: st.DrawFn) -> str:
    if not isinstance(text, str):
        return str(text)
    quoted = "".join(f"\\u{ord(c):04X}" if ord(c) < 0x10000 and not c.isalnum() and c != " " else c for c in text)
    styles = [f'"{quoted}"', "'" + text.replace("'", "''") + "'"]
    printable = all(char.isprintable() for char in text)
    plain = re.fullmatch(r"[a-z][a-z-]*", text) is not None
    return draw(st.sampled_from([styles[0], *([styles[1]] if printable else []), *([text] if plain else [])]))


@st.composite
def documents(draw: st.DrawFn) -> tuple[str, dict[str, dict[str, Any]]]:
    """A registry's text, and its entities by category and key."""
    step = draw(st.sampled_from([2, 4]))
    tree = draw(st.dictionaries(KEYS, st.dictionaries(KEYS, FIELDS, min_size=1, max_size=3), min_size=1, max_size=3))
    lines = ["# head", "metadata:", f"{' ' * step}entity_count: 7{draw(COMMENTS)}", "", "entities:"]
    for category, group in tree.items():
        lines.append(f"{' ' * step}{category}:{draw(COMMENTS)}")
        for key, fields in group.items():
            lines += draw(st.sampled_from([[], [""], [f"{' ' * 2 * step}# about {key}"]]))
            lines += entity(draw, key, fields, step)
    lines += draw(st.sampled_from([[], ["# tail"], ["", "notes: {kept: yes}"]]))
    end = draw(st.sampled_from(["\n", "\r\n"]))
    text = end.join(lines) + draw(st.sampled_from([end, ""]))
    return draw(st.sampled_from(["", "\ufeff"])) + text, tree


def entity(draw: st.DrawFn, key: str, fields: dict[str, Any], step: int) -> list[str]:
    if draw(st.booleans()):
        inner = ", ".join(f"{name}: {flow(value, draw)}" for name, value in fields.items())
        return [f"{' ' * 2 * step}{key}: {{{inner}}}{draw(COMMENTS)}"]
    lines = [f"{' ' * 2 * step}{key}:{draw(COMMENTS)}"]
    for name, value in fields.items():
        indent = " " * 3 * step
        if isinstance(value, list) and value and draw(st.booleans()):
            lines += [f"{indent}{name}:", *(f"{indent}  - {scalar(item, draw)}{draw(COMMENTS)}" for item in value)]
        else:
            lines.append(f"{indent}{name}: {flow(value, draw)}{draw(COMMENTS)}")
    return lines


def flow(value: Any, draw: st.DrawFn) -> str:
    return f"[{', '.join(scalar(item, draw) for item in value)}]" if isinstance(value, list) else scalar(value, draw)


def entities(text: str) -> dict[str, Any]:
    return {entity.id: entity for entity in parse(text.removeprefix("\ufeff")).entities}


@LAW
@given(documents(), KEYS, KEYS, FIELDS)
def test_put_sets_the_fields_and_leaves_other_entities(
    edited: tuple[str, dict[str, dict[str, Any]]], category: str, key: str, fields: dict[str, Any]
) -> None:
    text, _ = edited
    before, after = entities(text), entities(put_entity(text, category, key, fields))
    now = after.pop(f"{category}/{key}")
    assert (now.path, now.purpose) == (fields["path"], fields["purpose"])
    before.pop(f"{category}/{key}", None)
    assert after == before
    assert list(after) == list(before)


@LAW
@given(documents(), KEYS, FIELDS)
def test_put_then_remove_restores_the_text(
    edited: tuple[str, dict[str, dict[str, Any]]], key: str, fields: dict[str, Any]
) -> None:
    text, tree = edited
    category = next(iter(tree))
    if key not in tree[category]:
        back = remove_entity(put_entity(text, category, key, fields), category, key)
        assert back.rstrip("\r\n") == text.rstrip("\r\n")


@LAW
@given(documents(), st.data())
def test_comments_unknown_keys_and_order_survive_an_edit(
    edited: tuple[str, dict[str, dict[str, Any]]], data: st.DataObject
) -> None:
    text, tree = edited
    category = data.draw(st.sampled_from(sorted(tree)))
    key = data.draw(st.sampled_from(sorted(tree[category])))
    after = put_entity(text, category, key, {"purpose": data.draw(TEXTS), "adaptability": 0.7})
    after = set_metadata(after, {"entity_count": 3})
    assert after.count("# noted by hand") == text.count("# noted by hand")
    assert re.findall("# about .*", after) == re.findall("# about .*", text)
    assert after.count("x-own:") == text.count("x-own:")
    assert "entity_count: 3" in after


@LAW
@given(documents(), st.data())
def test_remove_deletes_one_entity_and_no_comment_of_another(
    edited: tuple[str, dict[str, dict[str, Any]]], data: st.DataObject
) -> None:
    text, tree = edited
    category = data.draw(st.sampled_from(sorted(tree)))
    key = data.draw(st.sampled_from(sorted(tree[category])))
    after = remove_entity(text, category, key)
    expected = entities(text)
    del expected[f"{category}/{key}"]
    assert entities(after) == expected
    assert re.findall("# about .*", after) == re.findall("# about .*", text)
    assert ("# tail" in after, "# head" in after) == ("# tail" in text, True)
