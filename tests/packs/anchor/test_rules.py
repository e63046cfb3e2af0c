"""Rules of instruction files appear once, and never those the agent already has."""

import pytest

from sidecar.packs.anchor import ProjectDocument, included_files, rule_lines, sent_paths, trap_lines
from sidecar.packs.anchor.rules import rule_file_lines, split_rule_files
from tests.support.cases import together

AGENTS = ProjectDocument("AGENTS.md", "# Rules\n\n- Never use floats for money.\n- Use **whole** cents.\n")
NOTHING_SENT = frozenset[str]()


def rules_of(
    *documents: ProjectDocument, sends: tuple[str, ...] = (), links: dict[str, str] | None = None
) -> list[str]:
    return rule_lines(documents, sent_paths(documents, frozenset(sends), links or {}), ())


def test_a_rule_in_two_files_appears_once_regardless_of_markup() -> None:
    copy = ProjectDocument("CLAUDE.md", "* Never use `floats` for money\n* Use whole cents.\n* Always run the tests.\n")
    assert rules_of(AGENTS, copy) == [
        "- Never use floats for money. (AGENTS.md:3)",
        "- Use whole cents. (AGENTS.md:4)",
        "- Always run the tests. (CLAUDE.md:3)",
    ]


@together("heading", ["DON'T:", "Don’ts", "❌ Do not", "Avoid", "Anti-patterns", "What not to do"])
def test_what_a_heading_forbids_is_not_shown_as_a_request(heading: str) -> None:
    text = f"#### DO:\n- Use value types.\n\n#### {heading}\n- Use Combine for simple operations.\n- Never nest.\n"
    assert rules_of(ProjectDocument("CLAUDE.md", text)) == [
        "- Don't: Use Combine for simple operations. (CLAUDE.md:5)",
        "- Never nest. (CLAUDE.md:6)",
        "- Use value types. (CLAUDE.md:2)",
    ]


def test_what_a_contributing_guide_lists_under_such_a_heading_is_no_rule_of_the_code() -> None:
    text = "## What to avoid\n- Too many changes at once.\n- Must not break the till.\n"
    assert rules_of(ProjectDocument("CONTRIBUTING.md", text)) == ["- Must not break the till. (CONTRIBUTING.md:3)"]


def test_a_heading_about_a_topic_forbids_nothing() -> None:
    text = "# Avoiding allocations\n- Use `Span` for slices.\n\n## Never-ending tasks\n- Use a timeout.\n"
    assert rules_of(ProjectDocument("AGENTS.md", text))[0] == "- Use `Span` for slices. (AGENTS.md:2)"


@pytest.mark.parametrize("sent", ["AGENTS.md", "CLAUDE.md"])
def test_rules_that_the_host_sends_are_omitted(sent: str) -> None:
    lines = rules_of(AGENTS, AGENTS._replace(path="CLAUDE.md"), sends=(sent,))
    assert lines == [f"- {sent} holds the project's instructions (you have it already)."]


def test_a_link_sends_its_target() -> None:
    lines = rules_of(AGENTS, sends=("CLAUDE.md",), links={"CLAUDE.md": "AGENTS.md"})
    assert lines == ["- AGENTS.md holds the project's instructions (you have it already)."]


def test_a_sent_file_also_sends_its_includes() -> None:
    claude = ProjectDocument("CLAUDE.md", "Read @AGENTS.md and @docs/style.md, mail me@home.md\n")
    lines = rules_of(AGENTS, claude, sends=("CLAUDE.md",))
    assert not any("floats" in line for line in lines)
    assert not any("docs/style.md" in line for line in lines)
    assert rules_of(AGENTS, claude)[-1] == "- More rules are in docs/style.md, which CLAUDE.md includes."


def test_includes_are_relative_to_the_file_and_ignored_in_code() -> None:
    text = "@../AGENTS.md\n`@no.md`\n```\n@never.md\n```\n"
    assert included_files(".claude/CLAUDE.md", text) == ["AGENTS.md"]
    assert included_files("../../CLAUDE.md", "@docs/a.md and @../b.md") == ["../../docs/a.md", "../../../b.md"]


def test_a_folders_instructions_have_a_pointer() -> None:
    assert rule_lines([AGENTS], NOTHING_SENT, ["web/AGENTS.md"])[-1] == "- Before work in web/ read web/AGENTS.md."


def test_contribution_procedures_are_not_rules() -> None:
    guide = ProjectDocument(
        "CONTRIBUTING.md",
        "- You must open an issue first.\n- Pull requests must be small.\n- Public functions must have docstrings.\n",
    )
    assert rules_of(guide) == ["- Public functions must have docstrings. (CONTRIBUTING.md:3)"]


def test_what_a_contributing_guide_requires_of_every_piece_of_work_is_a_rule() -> None:
    rules = (
        "Create a new branch **from staging branch** for the issue (please do not create a branch from main).",
        "Make sure you sign the commits, otherwise the tests will fail.",
    )
    text = f"# Guide\n\n1. {rules[0]}\n1. {rules[1]}\n1. Make sure you sign the license, otherwise we wait.\n"
    assert rules_of(ProjectDocument("CONTRIBUTING.md", text)) == [
        f"- {rules[0].replace('**', '')} (CONTRIBUTING.md:3)",
        f"- {rules[1]} (CONTRIBUTING.md:4)",
    ]


@together(
    "item",
    [
        "- [Do not point fingers](#do-not-point-fingers)",
        "## Search\n\n- You must use this tool to search.",
        '### Available search syntax\n\n1. Quoted phrases - query="a b" - words must be adjacent.',
    ],
)
def test_links_to_headings_and_descriptions_of_a_tool_are_no_rules(item: str) -> None:
    for path in ("AGENTS.md", "CONTRIBUTING.md"):
        assert rules_of(ProjectDocument(path, f"# Guide\n\n{item}\n")) == []


def test_traps_and_rules_are_separate() -> None:
    text = "# Money\n\n- Never round twice.\n\n## Gotchas\n\n- Prices must be read\n  before the cart.\n"
    documents = [ProjectDocument("AGENTS.md", text)]
    assert rules_of(*documents) == ["- Never round twice. (AGENTS.md:3)"]
    assert trap_lines(documents, NOTHING_SENT) == ["- Prices must be read before the cart. (AGENTS.md:7)"]


def test_a_review_guide_yields_no_rules() -> None:
    guide = ProjectDocument(
        ".github/copilot-instructions.md", "# Copilot PR review guide\n\n- Never block the change.\n"
    )
    assert rules_of(guide) == []


def test_an_encouragement_is_no_rule() -> None:
    guide = ProjectDocument("AGENTS.md", "- Don't hesitate to ask the keeper.\n- Don't feed the otter.\n")
    assert rules_of(guide) == ["- Don't feed the otter. (AGENTS.md:2)"]


def test_sentences_that_state_a_rule_are_found_in_a_file_for_agents() -> None:
    text = "# Handlers\n\nEvery handler must check the session\nbefore it reads. They live in `web/`. Names matter.\n"
    assert rules_of(ProjectDocument("AGENTS.md", text)) == [
        "- Every handler must check the session before it reads. (AGENTS.md:3)"
    ]


@pytest.mark.parametrize(
    "rule",
    [
        "Every handler must validate its input.",
        "All database migrations need a down step.",
        "Each public function has to have a docstring.",
        "No one may call the database from a view.",
        "No view may call the database.",
        "Keep in mind that any new variable must start with `SHOP_`.",
        "Do not import from `internal` outside of services.",
        "Please don't include changes to `dist/` in your pull request.",
        "Never commit changes in `src/gen.py`.",
    ],
)
def test_sentences_about_the_code_are_rules_in_every_instruction_file(rule: str) -> None:
    text = f"# Guide\n\nThe shop sells fish. {rule} Have fun.\n"
    for path in ("AGENTS.md", "CONTRIBUTING.md"):
        assert rules_of(ProjectDocument(path, text)) == [f"- {rule} ({path}:3)"]


@pytest.mark.parametrize(
    ("text", "rules"),
    [
        (
            "`till.yaml`'s version must match the one in `till.toml`. Have fun.",
            ["`till.yaml`'s version must match the one in `till.toml`."],
        ),
        ("It is a till. **Always build tills with `--all`.** A build is quick.", ["Always build tills with `--all`."]),
        ("**Never** round twice.", ["Never round twice."]),
        (
            "It's mandatory to round once. Logs are prohibited there.",
            ["It's mandatory to round once.", "Logs are prohibited there."],
        ),
        ("The till has mandatory fields.", []),
        ("**Required fields:**", []),
        ("**Always use cents**:", []),
        ("* Never\n*** always ***\n", ["Never"]),
    ],
)
def test_sentences_may_begin_with_code_or_bold_words(text: str, rules: list[str]) -> None:
    lines = rules_of(ProjectDocument("AGENTS.md", f"# Guide\n\n{text}\n"))
    assert [line.removeprefix("- ").removesuffix(" (AGENTS.md:3)") for line in lines] == rules


@pytest.mark.parametrize(
    "sentence",
    [
        "You must install the tools first.",
        "All code submitted must be licensed under these terms.",
        "Every pull request must have a test.",
        "Every commit must be signed.",
        "All participants must be kind.",
        "All you need is a browser.",
        "No question may be too small for our forum.",
        "Do not use your real name in our examples.",
        "Do not change the title of your pull request.",
        "Do not commit to `main`.",
        "The required version is pinned in `package.json`.",
        "If a feature needs a package, you have to ask.",
    ],
)
def test_what_a_contributing_guide_asks_of_its_reader_is_not_a_rule(sentence: str) -> None:
    assert rules_of(ProjectDocument("CONTRIBUTING.md", f"# Guide\n\n{sentence}\n")) == []


def test_items_are_shown_with_the_sentence_that_introduces_them() -> None:
    text = "# Plans\n\nAlways open `plan.md` when\nthe request:\n\n- Mentions a plan.\n- Must be split\n\nNames.\n"
    text += "\n- Use cents\n"
    assert rules_of(ProjectDocument("AGENTS.md", text)) == [
        "- Always open `plan.md` when the request: Mentions a plan; Must be split (AGENTS.md:3)",
        "- Use cents (AGENTS.md:11)",
    ]


@together(
    "rule",
    [
        "Nunca use floats para dinheiro.",
        "Cada servicio debe cerrar su conexión.",
        "Geldbeträge dürfen nicht gerundet werden.",
        "Chaque requête doit être journalisée.",
        "金額は必ず整数で扱う。",
        "接口必须检查权限。",
    ],
)
def test_rules_in_other_languages_are_found(rule: str) -> None:
    assert rules_of(ProjectDocument("AGENTS.md", f"# Regras\n\n{rule}\n")) == [f"- {rule} (AGENTS.md:3)"]
    assert rules_of(ProjectDocument("AGENTS.md", f"# Regras\n\n- {rule}\n")) == [f"- {rule} (AGENTS.md:3)"]


@together(
    "rule",
    [
        "New settings have to be documented.",
        "Direct access to the database is not allowed in views.",
        "Não use print no código.",
        "Os testes não podem acessar a rede.",
        "No uses variables globales.",
        "Los cambios tienen que llevar pruebas.",
        "N'utilisez pas de variables globales.",
        "Il faut documenter chaque option.",
        "Die Tests dürfen kein Netzwerk benutzen.",
        "Globale Variablen sind nicht erlaubt.",
        "Non usare variabili globali.",
        "È vietato modificare i file generati.",
        "Tests mogen geen netwerk gebruiken.",
        "Не используйте глобальные переменные.",
        "Каждый обработчик обязан возвращать ответ.",
        "すべてのテストは pytest で書くこと。",
        "print を使わないでください。",
        "テストではネットワークを使用してはならない。",
        "不能直接访问数据库。",
        "测试应该使用 pytest。",
    ],
)
def test_rules_in_prose_are_found_in_every_supported_language(rule: str) -> None:
    assert rules_of(ProjectDocument("AGENTS.md", f"# Notes\n\n{rule}\n")) == [f"- {rule} (AGENTS.md:3)"]


@together(
    "statement",
    [
        "We usually keep views small.",
        "Die Tests liegen in tests/.",
        "Los ejemplos están en la carpeta docs.",
        "Les exemples se trouvent dans docs.",
        "Il codice si trova in src.",
        "Я пишу код на Питоне.",
        "設定のことは config を見る。",
        "配置文件在这里。",
    ],
)
def test_descriptions_in_prose_are_not_rules(statement: str) -> None:
    assert rules_of(ProjectDocument("AGENTS.md", f"# Notes\n\n{statement}\n")) == []


@together(
    ("before", "rule"),
    [
        ("If `tmp/till` exists, read `till/README.md`.", "Otherwise, do not apply its rules."),
        ("The till has a configuration file.", "If not, never create it yourself."),
        ("The files below `gen/` are generated.", "**Do not edit them.**"),
        ("Prices are in `prices.csv`.", "It must never be sorted."),
        ("Tests need the network.", "In that case you must ask."),
        ("Die Dateien sind generiert.", "Bearbeite sie niemals."),
        ("Es gibt eine Kasse.", "Sonst niemals buchen."),
        ("Les fichiers sont générés.", "Ne les modifiez jamais."),
        ("Los archivos se generan.", "Nunca los edites."),
        ("Os arquivos são gerados.", "Caso contrário, nunca use floats."),
        ("I file sono generati.", "Altrimenti non modificare nulla."),
        ("De bestanden zijn gegenereerd.", "Bewerk ze nooit."),
        ("Файлы создаются скриптом.", "Никогда не меняйте их."),
        ("ファイルは生成されます。", "それらを編集しないでください。"),
        ("这些文件是生成的。", "不要编辑它们。"),
    ],
)
def test_a_rule_that_refers_back_comes_with_the_sentence_before_it_or_not_at_all(before: str, rule: str) -> None:
    shown = f"- {before} {rule.replace('**', '')} (AGENTS.md:"
    assert rules_of(ProjectDocument("AGENTS.md", f"# Guide\n\n{before}\n{rule}\n")) == [f"{shown}3)"]
    assert rules_of(ProjectDocument("AGENTS.md", f"# Guide\n\n- {before}\n- {rule}\n")) == [f"{shown}3)"]
    assert rules_of(ProjectDocument("AGENTS.md", f"# Guide\n\n{before}\n\n## Files\n\n{rule}\n")) == []
    assert rules_of(ProjectDocument("AGENTS.md", f"# Guide\n\n{'Too long ' * 25}{before}\n{rule}\n")) == []


def test_rules_that_refer_to_one_another_are_one_rule() -> None:
    text = "# Guide\n\nThe till is slow. It must be closed at night. Never open it again.\n\n- Never round twice.\n"
    assert rules_of(ProjectDocument("AGENTS.md", text)) == [
        "- The till is slow. It must be closed at night. Never open it again. (AGENTS.md:3)",
        "- Never round twice. (AGENTS.md:5)",
    ]
    items = "# Guide\n\nRead the list:\n\n- The till.\n- The shop.\n\nDo not skip this.\n"
    assert rules_of(ProjectDocument("AGENTS.md", items)) == []


@together(
    "rule",
    [
        "Every handler must close its connection.",
        "Never assume that a till is empty.",
        "Never use this pattern in views.",
        "Always make it clear who pays.",
        "Read the plan before you edit it, always.",
        "Si no hay caja, nunca cobres.",
        "これらのファイルは変更禁止。",
        "不要在其它文件重复路径。",
    ],
)
def test_a_rule_that_names_its_subject_is_shown_alone(rule: str) -> None:
    assert rules_of(ProjectDocument("AGENTS.md", f"# Guide\n\nA till.\n{rule}\n")) == [f"- {rule} (AGENTS.md:4)"]


@together(
    ("sentence", "lines"),
    [
        (
            "If `tmp/saas` exists, read `saas/AGENTS.md`.",
            ["- If `tmp/saas` exists, read `saas/AGENTS.md`. (AGENTS.md:3)"],
        ),
        ("When you work in `saas/`, read `saas/AGENTS.md`.", ["- Before work in saas/ read saas/AGENTS.md."]),
        ("See `saas/AGENTS.md`.", ["- Before work in saas/ read saas/AGENTS.md."]),
        (f"{'A till ' * 40} only then has `saas/AGENTS.md`.", []),
    ],
)
def test_an_instruction_file_is_named_under_the_condition_that_the_rules_state(sentence: str, lines: list[str]) -> None:
    document = ProjectDocument("AGENTS.md", f"# Guide\n\n{sentence}\n")
    assert rule_lines([document], NOTHING_SENT, ["saas/AGENTS.md"]) == lines
    sent = rule_lines([document], frozenset({"AGENTS.md"}), ["saas/AGENTS.md"])[1:]
    assert sent == [line for line in lines if line.startswith("- Before")]


def test_a_condition_that_a_rule_states_is_not_repeated() -> None:
    text = "# Guide\n\nIf `tmp/saas` exists, read `saas/AGENTS.md`. Otherwise, do not apply its rules.\n"
    assert rule_lines([ProjectDocument("AGENTS.md", text)], NOTHING_SENT, ["saas/AGENTS.md"]) == [
        "- If `tmp/saas` exists, read `saas/AGENTS.md`. Otherwise, do not apply its rules. (AGENTS.md:3)"
    ]


def test_a_file_name_does_not_end_a_sentence() -> None:
    text = "# Notes\n\nEvery option must be in docs/config.rst and e.g. README.md. Look there.\n"
    assert rules_of(ProjectDocument("AGENTS.md", text)) == [
        "- Every option must be in docs/config.rst and e.g. README.md. (AGENTS.md:3)"
    ]


def test_what_others_do_not_do_forbids_nothing() -> None:
    described = (
        "Ideas that do not meet these thresholds are closed.", "`style`: edits which don't affect the meaning",
        "Help users who do not care about it.", "Close tickets if they don't have steps.",
    )  # fmt: skip
    forbidden = ("Keep tests small, and do not share state.", "We don't mock the clock.", "Columns: do not rename any.")
    text = "".join(f"- {item}\n" for item in (*described, *forbidden))
    rules = rules_of(ProjectDocument("CONTRIBUTING.md", f"# Guide\n\n{text}"))
    assert sorted(rule.partition(" (")[0] for rule in rules) == sorted(f"- {rule}" for rule in forbidden)


@together(
    "statement",
    [
        "The user may not have sufficient context of the task.",
        "File-watcher tests do not work inside the sandbox.",
        "(They may not even have met the problem, always assuming one exists.)",
        "A failed check does not mean you must never push.",
        "Inputs that are required for the rule are listed below.",
    ],
)
def test_statements_that_ask_for_nothing_are_not_rules(statement: str) -> None:
    assert rules_of(ProjectDocument("AGENTS.md", f"# Guide\n\n{statement}\n")) == []
    assert rules_of(ProjectDocument("CONTRIBUTING.md", f"# Guide\n\n- {statement}\n")) == []


def test_a_sentence_that_introduces_a_command_takes_no_items_from_far_below() -> None:
    text = (
        "# Guide\n\nAlways run the tests:\n\n```sh\nmake\n```\n"
        + "\nMore prose here.\n" * 4
        + "\nSee also:\n\n- A page.\n"
    )
    assert rules_of(ProjectDocument("AGENTS.md", text)) == ["- Always run the tests: (AGENTS.md:3)"]


def rule_file(path: str, matter: str) -> ProjectDocument:
    return ProjectDocument(path, f"---\n{matter}\n---\n\n- Use whole cents.\n")


@pytest.mark.parametrize(
    ("path", "matter"),
    [
        (".cursor/rules/money.mdc", "description: Money\nglobs:\nalwaysApply: true"),
        (".cursor/rules/money.mdc", 'globs: "**/*"\nalwaysApply: false'),
        (".github/instructions/money.instructions.md", 'applyTo: "**"'),
        (".claude/rules/money.md", "description: Money"),
    ],
)
def test_rule_files_of_other_agents_that_hold_for_everything_are_read(path: str, matter: str) -> None:
    document = rule_file(path, matter)
    files = split_rule_files([document], reads_claude_rules=False)
    assert rules_of(*files.always) == [f"- Use whole cents. ({path}:{document.text.count(chr(10))})"]
    assert files.others == ()


def test_a_rule_file_for_some_files_is_named_with_them() -> None:
    files = split_rule_files(
        [
            rule_file(".cursor/rules/api.mdc", "globs: src/api/**/*.ts\nalwaysApply: false"),
            rule_file(".cursor/rules/mail.mdc", "description: How mail is sent"),
            rule_file(".cursor/rules/derived-cursor-rules.mdc", "globs: *"),
            rule_file(".claude/rules/pages.md", 'paths: ["web/**"]'),
        ],
        reads_claude_rules=False,
    )
    assert files.always == ()
    assert rule_file_lines(files.others) == [
        "- For work on src/api/**/*.ts read .cursor/rules/api.mdc.",
        "- More rules are in .cursor/rules/mail.mdc.",
        "- More rules are in .cursor/rules/derived-cursor-rules.mdc.",
        "- For work on web/** read .claude/rules/pages.md.",
    ]


def test_claude_code_reads_its_own_rule_files() -> None:
    documents = [rule_file(".claude/rules/money.md", "a: b"), rule_file(".claude/rules/pages.md", "paths: web/**")]
    assert split_rule_files(documents, reads_claude_rules=True) == ((), ())


def test_a_rule_of_a_contributing_guide_has_the_subject_of_its_section() -> None:
    text = (
        "# Contributing\n\n- Never import the till.\n\n## Coding rules\n\n- Always use cents.\n\n"
        "## Commit messages\n\n- The subject must be imperative.\n\n### Notes\n\n- Never add a full stop.\n\n"
        "## Plugins\n\nContributors to Shop plugins follow the same rules, but:\n\n- The version must be odd.\n"
    )
    assert rules_of(ProjectDocument("CONTRIBUTING.md", text)) == [
        "- Never import the till. (CONTRIBUTING.md:3)",
        "- Always use cents. (CONTRIBUTING.md:7)",
        "- Commit messages: The subject must be imperative. (CONTRIBUTING.md:11)",
        "- Commit messages: Never add a full stop. (CONTRIBUTING.md:15)",
    ]
    both = "# Contributing\n\n## Sqlite\n\n- Never use tabs here.\n\n## Postgres\n\n- Never use tabs here.\n"
    assert rules_of(ProjectDocument("CONTRIBUTING.md", both)) == ["- Never use tabs here. (CONTRIBUTING.md:5)"]
