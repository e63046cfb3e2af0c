"""An accepted decision appears as its sentence, every other one as a pointer."""

from sidecar.packs.anchor import ProjectDocument, decision_in, specification_lines, split_decisions
from tests.support.cases import together


@together(
    ("text", "sentence"),
    [
        ("# Cents\n\n## Decision\n\nWe store whole cents, e.g. 5.\nNever floats.\n", "We store whole cents, e.g. 5."),
        ("# Cents\n\n## Context\n\nA.\n\n## Decision Outcome\n\n- Chosen option: **cents**\n", "Chosen option: cents"),
        ("Cents\n=====\n\nDecision\n--------\n\nStore `cents`. Always.\n", "Store `cents`."),
        ("# Cents\n\nWe decided to store cents. Why not?\n", "We decided to store cents."),
        ("# Cents\n\nText without any.\n", ""),
        ("## Decision\n\nWe test twice:\n\n- **SQLite** here.\n- Postgres.\n", "We test twice: SQLite here; Postgres"),
        ("## Decision\n\nWe test twice:\n\n```\nmake\n```\n\n- Slowly.\n", ""),
    ],
)  # fmt: skip
def test_a_decision_is_its_first_sentence(text: str, sentence: str) -> None:
    assert decision_in(text) == sentence


def test_only_an_accepted_decision_is_a_rule() -> None:
    body = "\n\n## Decision\n\nStore cents.\n"
    lines = split_decisions(
        [
            ProjectDocument("adr/1.md", f"# 1. Cents\n\nStatus: accepted{body}"),
            ProjectDocument("adr/2.md", f"# ADR-2: Floats\n\n## Status\n\nSuperseded by 1{body}"),
            ProjectDocument("adr/3.md", "# Mail\n\nStatus: accepted\n"),
            ProjectDocument("adr/4.md", "No title"),
        ]
    )
    assert lines.rules == ["- Store cents. (adr/1.md: Cents [accepted])"]
    assert lines.pointers == ["- adr/2.md: Floats [superseded by 1]", "- adr/3.md: Mail [accepted]", "- adr/4.md: 4.md"]


def test_a_specification_has_title_and_status_and_the_rest_only_a_folder() -> None:
    lines = specification_lines(
        [
            ProjectDocument("openspec/changes/add-mail/proposal.md", "# Change: Send mail\n"),
            ProjectDocument("openspec/specs/cart/spec.md", "# Cart\n"),
            ProjectDocument("specs/tax.md", "---\ntitle: How taxes add up\nstatus: draft\n---\n"),
        ],
        ["specs/z.md", "specs/zz.md"],
    )
    assert lines == [
        "- openspec/changes/add-mail/proposal.md: Change: Send mail [proposed change]",
        "- openspec/specs/cart/spec.md",
        "- specs/tax.md: How taxes add up [draft]",
        "- More specifications in specs/",
    ]


def test_accepted_artifacts_come_first_and_appear_once_when_also_in_a_file() -> None:
    accepted = [
        ProjectDocument("adr-1", "# Cents\n\nStatus: draft\n\n## Decision\n\nStore cents.\n"),
        ProjectDocument(
            "memory/continuity:continuity/adr/2.md",
            "# Mail\n\nStatus: draft\n\n## Decision\n\n_Open: nobody said why._\n",
        ),
    ]
    in_worktree = ProjectDocument("docs/adr/1.md", "# 1. CENTS\n\nStatus: proposed\n")
    alone = split_decisions([], accepted)
    assert alone.rules == ["- Store cents. (adr-1 [accepted])"]
    assert alone.pointers == ["- memory/continuity:continuity/adr/2.md: Mail [accepted]"]
    both = split_decisions([in_worktree], accepted)
    assert both.rules == []
    assert both.pointers == [*alone.pointers, "- docs/adr/1.md: CENTS [proposed]"]


@together(
    ("decision", "rule"),
    [
        (
            "I used a generic `L`, because a union has to be extended.",
            "Used a generic `L`, because a union has to be extended.",
        ),
        (
            "J'ai choisi SQLite parce que la caisse n'a pas de serveur.",
            "Choisi SQLite parce que la caisse n'a pas de serveur.",
        ),
        ("The user: “Prices stay whole because floats lose cents.”", "Prices stay whole because floats lose cents."),
    ],
)
def test_an_accepted_artifact_is_a_rule_that_nobody_speaks(decision: str, rule: str) -> None:
    artifact = ProjectDocument("adr-1", f"# {rule}\n\n## Decision\n\n{decision}\n")
    assert split_decisions([], [artifact]).rules == [f"- {rule} (adr-1 [accepted])"]


def test_outdated_decisions_have_at_most_half_of_the_places() -> None:
    valid = [ProjectDocument(f"adr/{n:02}.md", f"# Choice {n}\n\nStatus: accepted\n") for n in range(10)]
    outdated = [ProjectDocument(f"adr/{n:02}.md", f"# Choice {n}\n\nStatus: superseded by 3\n") for n in range(10, 24)]
    lines = split_decisions([*valid, *outdated]).pointers
    assert sum("[accepted]" in line for line in lines) == len(valid)
    assert [line[6:8] for line in lines if "superseded" in line] == ["22", "23"]
    mixed = split_decisions([*valid[:2], *outdated]).pointers
    assert [line[6:8] for line in mixed if "superseded" in line] == ["22", "23"]


def test_accepted_decisions_that_are_rules_leave_no_pointers_to_outdated_ones() -> None:
    text = "# Choice {n}\n\nStatus: {status}\n\n## Decision\n\nUse {n}.\n"
    decisions = [ProjectDocument(f"adr/{n}.md", text.format(n=n, status="superseded by 9")) for n in range(1, 5)]
    decisions += [ProjectDocument("adr/9.md", text.format(n=9, status="accepted"))]
    lines = split_decisions(decisions)
    assert (lines.pointers, len(lines.rules)) == ([], 1)
