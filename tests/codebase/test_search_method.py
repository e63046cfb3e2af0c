"""`codebase/search`: regions within a token budget, files alone, and regions that were shown before."""

import json
import re
import threading
from collections.abc import Callable
from typing import Any

import pytest

from sidecar.codebase import methods
from sidecar.codebase.indexer import Indexer
from sidecar.codebase.methods import FoundFile, FoundFileRegion
from sidecar.codebase.search import ranking, region_ranking
from sidecar.core.token_estimate import estimate_tokens
from sidecar.core.wire_types import WireModel
from sidecar.packs.related_files import ADDITIONS, RECENT_WEIGHTS
from tests.support.conversation import Conversation
from tests.support.memory_sidecar import MemorySidecar
from tests.support.repositories import Repository
from tests.support.shop import PROMPT, StartChat, active, send_session_event, shop, start_chat, text_of

__all__ = ["active", "shop", "start_chat"]

FILLER = "".join(f"    value_{number} = {number}\n" for number in range(20))
PARTS = "\n\n".join(f"def price_{n:02}(cart):\n    # the price of a cart\n{FILLER}    return cart" for n in range(30))
Search = Callable[..., Any]


@pytest.fixture
def chat(start_chat: StartChat, shop: Repository) -> Conversation:
    shop.commit({"src/prices.py": f'"""Prices of a cart."""\n\n\n{PARTS}\n'}, "Add prices")
    return start_chat()


@pytest.fixture
def search(chat: Conversation) -> Search:
    """Search the shop."""

    def of(query: str = "price of the cart", **params: Any) -> Any:
        return chat.client.request("codebase/search", {"cwd": str(chat.cwd), "query": query, **params})

    return of


def texts(result: Any) -> list[str]:
    return [region["text"] for region in result["regions"]]


@pytest.mark.parametrize(("budget", "most"), [(300, 300), (1_500, 1_500), (None, 4_000)])
def test_regions_stay_within_the_token_budget_and_the_rest_is_counted(
    search: Search, budget: int | None, most: int
) -> None:
    result = search(**({"budgetTokens": budget} if budget else {}))
    assert most / 2 < sum(map(estimate_tokens, texts(result))) <= most
    assert result["omittedRegions"] > 0
    assert "src/prices.py" in [file["path"] for file in result["files"]]


@pytest.mark.parametrize("budget", [400, 1_500, 4_000])
def test_a_budget_of_the_whole_result_is_used_and_never_exceeded(search: Search, budget: int) -> None:
    result = search(budgetOf="result", budgetTokens=budget)
    for entry in (*result["files"], *result["regions"]):
        del entry["score"], entry["parts"]
    assert 0.7 * budget < estimate_tokens(json.dumps(result, separators=(",", ":"))) <= budget
    assert len(result["regions"]) + result["omittedRegions"] == len(search(budgetTokens=100_000)["regions"])


def test_a_search_while_files_are_being_indexed_shows_code_and_names_what_is_missing(
    search: Search, monkeypatch: pytest.MonkeyPatch
) -> None:
    may_index, run = threading.Event(), Indexer.run

    def run_later(*arguments: Any) -> Any:
        may_index.wait(20)
        return run(*arguments)

    monkeypatch.setattr(Indexer, "run", run_later)
    monkeypatch.setattr(Indexer, "run_inline", lambda *_: None)
    monkeypatch.setattr(methods, "SEARCH_WAIT_MS", 100)
    early = next(result for _ in range(50) if (result := search("What is price_17 for?"))["regions"])
    assert (early["complete"], early["warnings"]) == (False, [methods.INDEXING_WARNING])
    assert early["files"][0]["path"] == "src/prices.py"
    assert any("def price_17(cart)" in text for text in texts(early))
    may_index.set()
    later = next(result for _ in range(50) if (result := search("What is price_17 for?"))["complete"])
    assert later["warnings"] == []


def test_a_region_is_whole_and_its_score_is_the_sum_of_its_parts(search: Search) -> None:
    (region,) = [found for found in search("What is price_17 for?")["regions"] if found["name"] == "price_17"]
    lines = region["text"].splitlines()
    assert "def price_17(cart):" in lines[0]
    assert "return cart" in region["text"]
    assert region["lines"] == f"{lines[0].partition('|')[0]}-{lines[-1].partition('|')[0]}"
    assert region["score"] == pytest.approx(sum(region["parts"].values()), abs=0.01)


def test_a_quoted_text_leads_to_its_catalogue_and_to_the_code_that_uses_its_key(
    chat: Conversation, shop: Repository, search: Search
) -> None:
    shop.commit(
        {
            "locales/en.json": '{\n  "cart": {\n    "emptyCart": "No price yet"\n  }\n}\n',
            "src/view.py": f"{PARTS}\n\n\ndef view(t):\n    return t('cart.emptyCart')\n",
        }
    )
    files = {file["path"]: file["parts"] for file in search('it shows "No price yet" for every cart')["files"]}
    assert list(files)[:2] == ["src/view.py", "locales/en.json"]
    assert "usesQuoted" in files["src/view.py"]
    assert "quoted" in files["locales/en.json"]
    context = text_of(chat.pre_run('it shows "No price yet" for every cart'), "context")
    assert "t('cart.emptyCart')" in context.partition("locales/en.json")[0]
    assert '"emptyCart": "No price yet"' in context


def test_a_query_of_one_name_returns_what_has_it_first_and_only_regions_with_it(
    search: Search, shop: Repository
) -> None:
    fields = "".join(
        f'    private static final String PREF_CART_{number} = "prefCart{number}";\n' for number in range(30)
    )
    setters = "".join(f"  void setCart{number}() {{\n    cart = {number};\n  }}\n\n" for number in range(30))
    code = f'class Cart {{\n{fields}  static final String UPDATE = "prefCartUpdateTypes";\n\n{setters}}}\n'
    screen = '<screen title="cart">\n  <list key="prefCartUpdateTypes" />\n</screen>\n'
    shop.commit({"src/Cart.java": code, "res/screen.xml": screen}, "Update types of the cart")
    for query in ("prefCartUpdateTypes", "where is `prefCartUpdateTypes` defined?"):
        result = search(query)
        assert {file["path"] for file in result["files"][:2]} == {"src/Cart.java", "res/screen.xml"}, query
        assert all("prefCartUpdateTypes" in text for text in texts(result)), query
        assert len(result["regions"]) == 2, query
    assert len(search("prefCartUpdateTypes of the update screen")["regions"]) > 2
    assert len(search("prefCartDeleteTypes")["regions"]) > 2
    assert {region["name"] for region in search("price_17")["regions"]} == {"price_17"}


def test_files_are_the_ranking_up_to_the_limit_whatever_the_budget(search: Search) -> None:
    alone = search(pathOnly=True, limit=3)
    assert (alone["regions"], alone["omittedRegions"]) == ([], 0)
    assert alone["files"] == search(budgetTokens=100, limit=3)["files"]
    assert len(alone["files"]) == 3
    assert search(limit=1)["regions"] == search(limit=50)["regions"]


def test_a_region_shown_before_is_one_line_until_it_is_edited(search: Search, shop: Repository) -> None:
    first = search(sessionId="agent")
    again = search(sessionId="agent")
    assert not any(region["repeated"] for region in first["regions"])
    shown = {(region["path"], region["lines"]) for region in first["regions"]}
    repeated = [region for region in again["regions"] if region["repeated"]]
    assert {(region["path"], region["lines"]) for region in repeated} == shown
    assert {region["text"] for region in repeated} == {f"{path}:{lines} (shown above)" for path, lines in shown}
    assert len(again["regions"]) == len(first["regions"]), "nothing worse takes the place of what was shown"
    assert search(sessionId="agent", repeat=True)["regions"] == first["regions"]
    assert search(sessionId="other")["regions"] == search()["regions"] == first["regions"]
    text = (shop.path / "src/prices.py").read_text(encoding="utf-8")
    shop.write({"src/prices.py": text.replace("# the price of a cart", "# the price of any cart")})
    edited = [region for region in search(sessionId="agent")["regions"] if "any cart" in region["text"]]
    assert edited


def test_a_region_shown_before_at_other_lines_is_named_with_these(search: Search, shop: Repository) -> None:
    def price_17() -> Any:
        regions = search("What is price_17 for?", sessionId="agent")["regions"]
        return next(region for region in regions if region["name"] == "price_17")

    before = price_17()["lines"]
    text = (shop.path / "src/prices.py").read_text(encoding="utf-8")
    shop.write({"src/prices.py": f"import decimal\n\n{text}"})
    for _ in range(2):
        moved = price_17()
        assert moved["lines"] == "-".join(str(int(number) + 2) for number in before.split("-"))
        assert moved["text"] == f"src/prices.py:{moved['lines']} (shown above as {before})"


def commit_long_function(shop: Repository) -> str:
    """Commit one definition that is split into several windows, and return its text."""
    notes = "".join(f"    The voucher is checked against rule {n}.\n" for n in range(20))
    steps = "".join(f"    check_{n} = voucher[{n}]\n" for n in range(60))
    code = f'def redeem_voucher(voucher):\n    """Redeem a voucher.\n\n{notes}    """\n{steps}    return voucher\n'
    shop.commit({"src/voucher.py": code})
    return code


def test_a_region_lists_exactly_the_lines_that_it_shows(search: Search, shop: Repository) -> None:
    commit_long_function(shop)
    found = [search("redeem_voucher", budgetTokens=budget)["regions"] for budget in (300, 600, 4_000)]
    regions = [region for each in found for region in each if region["path"] == "src/voucher.py"]
    assert any("," in region["lines"] for region in regions)
    for region in regions:
        spans = (span.partition("-") for span in region["lines"].split(","))
        listed = [number for first, _, last in spans for number in range(int(first), int(last or first) + 1)]
        assert listed == [int(number) for number in re.findall(r"^(\d+)\|", region["text"], re.MULTILINE)]


def test_the_windows_of_a_definition_are_one_region(search: Search, shop: Repository) -> None:
    lines = commit_long_function(shop).splitlines()

    def voucher(**params: Any) -> list[tuple[str, str]]:
        found = search("redeem_voucher", **params)["regions"]
        return [(region["lines"], region["text"]) for region in found if region["path"] == "src/voucher.py"]

    whole = f"1-{len(lines)}"
    assert voucher(sessionId="agent") == [
        (whole, "\n".join(f"{number}| {line}" for number, line in enumerate(lines, 1)))
    ]
    assert voucher(sessionId="agent") == [(whole, f"src/voucher.py:{whole} (shown above)")]
    (part,) = voucher(sessionId="agent", budgetTokens=300)
    assert part[1] == f"src/voucher.py:{part[0]} (shown above as {whole})"


@pytest.mark.parametrize("stated", ["event", "fact"])
def test_after_a_known_compaction_a_region_is_shown_in_full(
    search: Search, chat: Conversation, active: MemorySidecar, stated: str
) -> None:
    chat.turn(PROMPT)
    assert active.app.process is not None
    assert active.app.process.wait_idle(20)  # the first answer is that of the whole index, like the later ones
    first = search(sessionId="session")
    if stated == "event":
        send_session_event(chat, "compacted", "session")
    else:
        session = {"id": "session", "willResume": True, "isFork": False, "compactedAt": "2026-03-01T09:45:00.000Z"}
        chat.pre_run("go on", session=session)
    answers = (search(sessionId="session")["regions"] for _ in range(100))  # an event is handled in its own time
    assert any(regions == first["regions"] for regions in answers)


FILE_PARTS = {
    *("contents", "notFound"),
    *ranking.FEATURE_WEIGHTS,
    *ranking.RELATED_TO_BEST_WEIGHTS,
    *ranking.RELATED_TO_TOUCHED_WEIGHTS,
    *RECENT_WEIGHTS,
    ADDITIONS,
}


@pytest.mark.parametrize(
    ("model", "parts"),
    [(FoundFile, FILE_PARTS), (FoundFileRegion, set(region_ranking.WEIGHTS))],
    ids=["file", "region"],
)
def test_the_description_of_a_score_names_each_of_its_parts(model: type[WireModel], parts: set[str]) -> None:
    description = model.model_fields["parts"].description or ""
    assert set(re.findall(r"`([A-Za-z]+)`", description)) - {"cwd"} == parts
