"""What becomes of an artifact, verb by verb; and how its title and its text go together."""

from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sidecar.capture.artifacts.artifact_text import Text, revised, with_status
from sidecar.capture.artifacts.methods import STATUS_AFTER, No, Verb, status_after
from sidecar.runs.model import ArtifactStatus

VERBS: tuple[Verb, ...] = get_args(Verb)
STATUSES: tuple[ArtifactStatus, ...] = get_args(ArtifactStatus)


def test_every_verb_has_an_answer_for_every_status() -> None:
    assert {status: set(verbs) for status, verbs in STATUS_AFTER.items()} == {status: set(VERBS) for status in STATUSES}


@pytest.mark.parametrize("verb", VERBS)
@pytest.mark.parametrize("status", STATUSES)
def test_a_verb_that_applied_may_be_said_again_and_changes_nothing_more(status: ArtifactStatus, verb: Verb) -> None:
    once = status_after(status, verb)
    if not isinstance(once, No) and verb != "update":
        assert status_after(once, verb) == once


@given(st.lists(st.sampled_from(VERBS)))
def test_what_is_committed_stays_so_whatever_is_said(verbs: list[Verb]) -> None:
    for verb in verbs:
        assert status_after("committed", verb) in ("committed", No.FINAL)


def test_a_discarded_one_can_be_accepted_and_then_committed_but_not_at_once() -> None:
    assert status_after("discarded", "commit") is No.DISCARDED
    assert status_after("discarded", "accept") == "accepted"
    assert status_after("accepted", "commit") == "committed"


BEFORE = Text("Discounts count", "# Discounts count\n\nThey did not.\n")


@pytest.mark.parametrize(
    ("title", "body", "after"),
    [
        (None, None, BEFORE),
        ("  Discounts\tadd up ", None, Text("Discounts add up", "# Discounts add up\n\nThey did not.\n")),
        (None, "\n# Totals count\nNow.", Text("Totals count", "# Totals count\nNow.\n")),
        (None, "Now.\n\n# A later heading\n", Text("Discounts count", "Now.\n\n# A later heading\n")),
        ("Mine", "# Theirs\n", Text("Mine", "# Theirs\n")),
        (None, "", Text("Discounts count", "\n")),
        (None, "## Two signs\n", Text("Discounts count", "## Two signs\n")),
    ],
)
def test_title_and_first_heading_go_together(title: str | None, body: str | None, after: Text) -> None:
    assert revised(BEFORE, title, body, 200) == after


def test_a_heading_that_says_something_else_than_the_title_stays() -> None:
    other = Text("Discounts count", "# Overview\n")
    assert revised(other, "Totals", None, 200) == Text("Totals", "# Overview\n")


def test_secrets_are_masked_in_what_the_user_writes() -> None:
    token = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
    now = revised(BEFORE, None, f"# Use {token}\n\nwith {token}\n", 200)
    assert token not in now.title + now.body


def test_a_decision_records_status_line_says_what_was_decided_but_not_over_its_user() -> None:
    draft = "# Cents\n\nStatus: draft\n\nStatus: draft\n"
    accepted = "# Cents\n\nStatus: accepted\n\nStatus: draft\n"
    assert with_status(draft, "accepted") == accepted
    assert with_status(accepted, "discarded") == accepted.replace("accepted", "discarded")
    assert with_status("# Cents\n\nStatus: superseded\n", "accepted") == "# Cents\n\nStatus: superseded\n"
