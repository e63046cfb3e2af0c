"""A project under the framework: its files as the framework lays them out, written for these tests."""

ARTICLES = ("Governance", "Quality", "Memory", "Security", "Language", "Design", "Documents", "Hand-offs", "Guidance",
            "Validation", "Modes", "Brackets", "Memories", "Registry", "Lock")  # fmt: skip
NUMERALS = ("I", "II", "III", "IV", "V", "VI", "VII", "VIII", "IX", "X", "XI", "XII", "XIII", "XIV", "XV")

CONSTITUTION = "# Constitution\n\n## Preamble\n\nWe plan before we write.\n\n" + "\n".join(
    f"## Article {number}: {name}\n\n1. Every agent MUST keep to its {name.lower()}.\n"
    f"2. No agent may change another's {name.lower()}.\n\n**Enforcement: BLOCK**\n\n---\n"
    for number, name in zip(NUMERALS, ARTICLES, strict=True)
)

BRIEF = """# Brief Agent

You are the brief agent.

## Identity

- **Role**: Listener

## Mission

Extract user requirements in 5 structured phases. Nothing is assumed.

## Output

### Artifact
Save to: `chati.dev/artifacts/brief.md`

```markdown
## Mission
not this one
```

## Quality Criteria

1. All 5 phases completed
2. Requirements categorized
3. User confirmed

## Input

- WU artifact
- User access
"""

ARCHITECT = """---
mission: Design the system
inputs: [PRD, brief]
outputs: architecture.md
criteria:
  - Every decision is justified
---
# Architect
"""

SESSION = """# runtime state, kept by hand too
project:
  name: till
  type: greenfield
  state: clarity
current_agent: brief
language: en
agents:
  greenfield-wu: {status: completed, score: 95, completed_at: "2026-02-10T10:15:00Z"}
  brief: {status: in_progress, score: 45}
  detail: {status: pending, score: 0}
  architect: {status: pending}
backlog:
  - {id: BL-002, title: Printing, priority: low, status: pending}
  - {id: BL-001, title: Two languages, priority: high, status: in_progress}
  - {id: BL-003, title: Done already, priority: high, status: done}
current_task: "Phase 2: Core Requirements Elicitation"
last_handoff: chati.dev/artifacts/handoffs/greenfield-wu-handoff.md
"""

HANDOFF = """---
from_agent: greenfield-wu
to: brief
score: 95
---
# Handoff

## Summary
Project: SaaS platform for team collaboration.
Stack: Next.js + PostgreSQL + Vercel.

## Decisions
- **auth**: JWT
- **hosting**: Vercel

## Layer 2: Deep Context
Never injected.
"""

PROJECT = {
    "chati.dev/constitution.md": CONSTITUTION,
    "chati.dev/config.yaml": 'version: "1.0.0"\nproject_type: greenfield\nlanguage: en\n',
    "chati.dev/agents/clarity/brief.md": BRIEF,
    "chati.dev/agents/architect/agent.md": ARCHITECT,
    "chati.dev/artifacts/handoffs/greenfield-wu-handoff.md": HANDOFF,
    ".chati/session.yaml": SESSION,
}
