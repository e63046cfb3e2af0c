"""Status of an artifact after each action, and its title and text after an edit."""

from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sidecar.capture.adr_draft import with_status
from sidecar.capture.artifact_methods import STATUS_AFTER, ArtifactText, NotAllowed, Verb, edited_text, status_after
from sidecar.runs.model import ArtifactStatus
from tests.support.cases import together

VERBS: tuple[Verb, ...] = get_args(Verb)
STATUSES: tuple[ArtifactStatus, ...] = get_args(ArtifactStatus)


def test_every_action_is_defined_for_every_status() -> None:
    assert {status: set(verbs) for status, verbs in STATUS_AFTER.items()} == {status: set(VERBS) for status in STATUSES}


@pytest.mark.parametrize("verb", VERBS)
@pytest.mark.parametrize("status", STATUSES)
def test_repeating_an_action_changes_nothing(status: ArtifactStatus, verb: Verb) -> None:
    once = status_after(status, verb)
    if not isinstance(once, NotAllowed) and verb != "update":
        assert status_after(once, verb) == once


@given(st.lists(st.sampled_from(VERBS)))
def test_a_committed_artifact_stays_committed(verbs: list[Verb]) -> None:
    for verb in verbs:
        assert status_after("committed", verb) in ("committed", NotAllowed.FINAL)


def test_a_discarded_artifact_must_be_accepted_before_it_is_committed() -> None:
    assert status_after("discarded", "commit") is NotAllowed.DISCARDED
    assert status_after("discarded", "accept") == "accepted"
    assert status_after("accepted", "commit") == "committed"


BEFORE = ArtifactText("Discounts count", "# Discounts count\n\nThey did not.\n")


@together(
    ("title", "body", "after"),
    [
        (None, None, BEFORE),
        ("  Discounts\tadd up ", None, ArtifactText("Discounts add up", "# Discounts add up\n\nThey did not.\n")),
        (None, "\n# Totals count\nNow.", ArtifactText("Totals count", "# Totals count\nNow.\n")),
        (None, "Now.\n\n# A later heading\n", ArtifactText("Discounts count", "Now.\n\n# A later heading\n")),
        ("Mine", "# Theirs\n", ArtifactText("Mine", "# Theirs\n")),
        (None, "", ArtifactText("Discounts count", "\n")),
        (None, "## Two signs\n", ArtifactText("Discounts count", "## Two signs\n")),
    ],
)
def test_title_and_first_heading_stay_equal(title: str | None, body: str | None, after: ArtifactText) -> None:
    assert edited_text(BEFORE, title, body, 200) == after


def test_a_heading_that_differs_from_the_title_stays() -> None:
    other = ArtifactText("Discounts count", "# Overview\n")
    assert edited_text(other, "Totals", None, 200) == ArtifactText("Totals", "# Overview\n")


def test_secrets_are_masked_in_what_the_user_writes() -> None:
    token = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
    edited = edited_text(BEFORE, None, f"# Use {token}\n\nwith {token}\n", 200)
    assert token not in edited.title + edited.body


def test_the_status_line_of_a_decision_record_follows_the_decision_unless_edited() -> None:
    draft = "# Cents\n\nStatus: draft\n\nStatus: draft\n"
    accepted = "# Cents\n\nStatus: accepted\n\nStatus: draft\n"
    assert with_status(draft, "accepted") == accepted
    assert with_status(accepted, "discarded") == accepted.replace("accepted", "discarded")
    assert with_status("# Cents\n\nStatus: superseded\n", "accepted") == "# Cents\n\nStatus: superseded\n"
