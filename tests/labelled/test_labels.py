"""The labels of recorded messages are well-formed, and the evaluation works on a clone."""

import json
import re
from pathlib import Path

import pytest

from sidecar.language.lasting_statements import score_of
from tests.labelled import evaluate_corrections
from tests.labelled.corpus import ALL_LABELS, COLUMNS, hash_of, read_labels
from tests.labelled.evaluate import figures_of, main, wilson
from tests.labelled.fit import OWN, Row, common_features, fit
from tests.labelled.minimize import minimize

UNREAD = Path(__file__).parent / "unread.tsv"
READ = {"reading", "checking", "recheck"}
LABELLED = {"learning", "judging", "third", "fourth"}
RULE = "From now on, never use red in this project."
CONVERSATION = """# Colours (2025-06-13 19:22:15)

_**User**_

make the title blue

---

_**Assistant**_

Done. Anything else?

---

_**User**_

From now on, never use red in this project.
"""


def test_every_label_names_a_message_by_its_hash() -> None:
    labels = read_labels()
    assert len(labels) > 3_000
    assert {label.label for label in labels} <= ALL_LABELS
    assert {label.half for label in labels} <= {"learning", "judging"}
    assert all(re.fullmatch(r"[0-9a-f]{64}", label.sha256) for label in labels)
    assert all(re.fullmatch(r"[0-9a-f]{40}", label.commit) for label in labels)
    assert len({(label.repository, label.path, label.number) for label in labels}) == len(labels)


def test_no_repository_is_in_both_halves() -> None:
    labels = read_labels()
    halves = [{label.repository for label in labels if label.half == half} for half in ("learning", "judging")]
    assert halves[0].isdisjoint(halves[1])


def test_the_unread_messages_are_of_other_repositories() -> None:
    labels = read_labels(UNREAD)
    known = {label.repository for label in read_labels()}
    halves = {half: {label.repository for label in labels if label.half == half} for half in READ | LABELLED}
    assert sum(map(len, halves.values())) == len({label.repository for label in labels})
    assert {label.label for label in labels} <= ALL_LABELS
    assert known.isdisjoint(label.repository for label in labels)
    assert all(re.fullmatch(r"[0-9a-f]{64}", label.sha256) for label in labels)


def test_the_evaluation_reads_a_clone(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    labels = _clone(tmp_path)
    assert main([str(tmp_path)], labels) == 0
    shown = capsys.readouterr().out
    assert "2 messages of 1 repositories" in shown
    assert "standing instructions, label standing: precision 1.000 [0.21, 1.00] recall 1.000" in shown


def test_a_missing_folder_is_reported_in_one_sentence(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    labels = _clone(tmp_path)
    assert main([str(tmp_path / "absent")], labels) == 1
    assert capsys.readouterr().err.count("\n") == 1


def test_another_text_than_the_labelled_one_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    labels = _clone(tmp_path)
    (tmp_path / "ann+shop" / "talk.md").write_text(CONVERSATION.replace("blue", "green"), "utf-8")
    assert main([str(tmp_path)], labels) == 1
    assert "check out commit" in capsys.readouterr().err


def test_the_labelled_corrections_are_judged(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rows = [read_labels(path) for path in (evaluate_corrections.SAMPLED, evaluate_corrections.FOUND)]
    assert {label.label for labels in rows for label in labels} == {"correction", "other"}
    assert len({(label.repository, label.path, label.number) for labels in rows for label in labels}) == 444
    sampled = _clone(tmp_path, "No, the title is still red.", ("other", "correction"))
    assert evaluate_corrections.main([str(tmp_path)], sampled, sampled) == 0
    shown = capsys.readouterr().out
    assert "random sample: 2 messages, precision 1.000 [0.21, 1.00] recall 1.000" in shown
    assert evaluate_corrections.main([str(tmp_path / "absent")], sampled, sampled) == 1


def test_precision_and_recall_count_messages() -> None:
    figures = figures_of([(True, True), (True, False), (False, True), (False, False)])
    assert (figures.precision, figures.recall) == (0.5, 0.5)


def test_the_interval_of_a_share_is_wide_for_few_messages() -> None:
    assert wilson(0, 0) == (0.0, 1.0)
    assert wilson(9, 10) == pytest.approx((0.596, 0.982), abs=0.001)


def test_a_word_has_a_weight_if_three_repositories_and_two_writers_use_it() -> None:
    users = {"word we": 3, "word red": 2, "word own": 3, "question": 3}
    rows = [row(f"ann/{number}", [word for word, count in users.items() if number < count]) for number in range(3)]
    rows += [row(f"writer {number}", ["word we"], is_own=True) for number in (1, 2)]
    rows.append(row("writer 1", ["word own"], is_own=True))
    assert common_features(rows) == ["question", "word we"]


def test_a_fit_gives_words_of_what_lasts_a_positive_weight() -> None:
    lasting = [row("ann/shop", ["word we", "word the"], target=2) for _ in range(20)]
    others = [row("ann/shop", ["word fix", "word the"]) for _ in range(60)]
    weights = fit(lasting + others, ["word fix", "word the", "word we"], 1)
    assert weights["word fix"] < weights["word the"] < weights["word we"]
    assert score_of(["word we"], weights) > 0.5 > score_of(["word fix"], weights)


def test_our_own_messages_mark_parts_of_their_text() -> None:
    messages = [json.loads(line) for line in OWN.read_text("utf-8").splitlines()]
    spans = [(message["text"], span) for message in messages for span in message["spans"]]
    assert all(span["quote"] in text and span["kind"] in ("standing", "durable") for text, span in spans)
    assert len({message["writer"] for message in messages}) > 10
    assert len({message["text"] for message in messages}) == len(messages) > 3_000


def row(group: str, features: list[str], target: int = 0, *, is_own: bool = False) -> Row:
    """Return a sentence of some features."""
    return Row(0, group, tuple(features), target, 1.0, is_own)


def test_the_minimum_of_a_bowl_is_found() -> None:
    low = minimize(lambda p: ((p[0] - 3) ** 2 + 10 * (p[1] + 1) ** 2, [2 * (p[0] - 3), 20 * (p[1] + 1)]), [0.0, 0.0])
    assert low == pytest.approx([3.0, -1.0], abs=0.001)


def _clone(folder: Path, second: str = RULE, labels: tuple[str, str] = ("task", "standing")) -> Path:
    """Write an invented conversation and its labels; return the table of labels."""
    (folder / "ann+shop").mkdir()
    (folder / "ann+shop" / "talk.md").write_text(CONVERSATION.replace(RULE, second), "utf-8")
    spans = ("", "0-43-standing" if labels[1] == "standing" else "")
    rows = [
        ("learning", "ann/shop", "0" * 40, "talk.md", str(number), hash_of(text), label, "no", span)
        for number, (text, label, span) in enumerate(
            zip(("make the title blue", second), labels, spans, strict=True), 1
        )
    ]
    table = folder / "labels.tsv"
    table.write_text("".join("\t".join(row) + "\n" for row in (COLUMNS, *rows)), "utf-8")
    return table
