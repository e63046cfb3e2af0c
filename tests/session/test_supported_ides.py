"""The names in the specification's tables: six IDEs with their rules files, four languages, every agent."""

from collections.abc import Callable
from typing import Any

import pytest

from tests.support.client import Client
from tests.support.repositories import Repository

Request = Callable[..., Any]

RULES_FILES = {
    "claude-code": "CLAUDE.md",  # the shop has one; .claude/CLAUDE.md where that is there and the other is not
    "vscode": ".vscode/chati/rules.md",
    "antigravity": ".antigravity/rules.md",
    "cursor": ".cursorrules",
    "gemini-cli": ".gemini/instructions.md",
    "github-copilot": ".github/copilot-instructions.md",
}

CONFIRMED = {
    "en": "Session saved. Type /chati to resume.",
    "pt": "Sessão salva. Digite /chati para retomar.",
    "es": "Sesión guardada. Escribe /chati para reanudar.",
    "fr": "Session enregistrée. Tapez /chati pour reprendre.",
}


@pytest.mark.parametrize(("ide", "file"), RULES_FILES.items())
def test_each_ide_has_its_specified_rules_file(
    client: Client, session: Request, shop: Repository, ide: str, file: str
) -> None:
    client.request("settings/update", {"settings": {"sessionLockFile": "rules"}})
    assert session("activate", ide=ide)["block"] == {"path": str(shop.path / file), "state": "active"}


def test_an_existing_claude_code_rules_file_is_preferred(
    client: Client, make_repository: Callable[..., Repository]
) -> None:
    project = make_repository({".claude/CLAUDE.md": "# Rules\n"}, name="claude").path
    client.request("settings/update", {"settings": {"sessionLockFile": "rules"}})
    result = client.request("session/activate", {"cwd": str(project)})
    assert result["block"]["path"] == str(project / ".claude" / "CLAUDE.md")


def test_an_unsupported_ide_is_refused(refused: Request) -> None:
    assert refused("activate", ide="windsurf") == "invalidParams"


@pytest.mark.parametrize(("language", "sentence"), CONFIRMED.items())
def test_the_exit_confirmation_is_in_the_users_language(session: Request, language: str, sentence: str) -> None:
    session("activate", language=language)
    assert session("exit")["confirmation"] == sentence
