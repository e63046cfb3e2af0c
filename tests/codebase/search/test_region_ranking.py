"""Regions ranked by a sum of named parts, and chosen within a budget."""

import math

import pytest

from sidecar.codebase.region_search import candidate_file
from sidecar.codebase.search import region_ranking
from sidecar.codebase.search.prompt_parts import read_evidence
from sidecar.codebase.search.ranking import RankedFile
from sidecar.codebase.search.region_ranking import (
    MAX_NAMESAKES,
    CandidateFile,
    RankedRegion,
    WordMatches,
    choose_regions,
    index_regions,
    match_words,
    rank_regions,
    shown_bytes,
)
from sidecar.codebase.summary.summarize import summarize
from sidecar.core.terms import query_terms, terms_of

CART = """class Cart:
    def total(self):
        return self.round_up(sum(self.prices))

    def round_up(self, price):
        return -(-price // 1)

    def owner(self):
        return self.name


def test_mail():
    assert True
"""


def ranked(prompt: str, *files: tuple[str, str]) -> list[RankedRegion]:
    evidence, weights = read_evidence(prompt), dict.fromkeys(query_terms(prompt), 3.0)
    candidates = []
    for rank, (path, text) in enumerate(files or (("src/cart.py", CART),)):
        regions = index_regions(text.rstrip("\n").split("\n"), summarize(path, text.encode()))
        matches = match_words(regions, weights, evidence.title)
        candidates.append(CandidateFile(path, 5.0 - rank, path.startswith("tests/"), regions, matches))
    return rank_regions(candidates, evidence, sum(weights.values()))


def test_a_definition_that_the_prompt_names_comes_first_and_what_it_calls_gains() -> None:
    first, *others = ranked("Why is `Cart.total` wrong?")
    assert first.region.name == "Cart.total"
    assert {"named", "chain", "text"} <= first.parts.keys()
    parts = {region.region.name: region.parts for region in others}
    assert "calledByNamed" in parts["Cart.round_up"]
    assert "calledByNamed" not in parts["Cart.owner"]


def test_named_definitions_come_before_the_second_region_of_another_file() -> None:
    till = "".join(
        f"def query_till_{at}(query, verb):\n    return query.till(verb, everywhere={at})\n\n\n" for at in range(12)
    )
    verbs = 'class VerbFilter:\n    """Verbs."""\n\n    GET = 1\n\n    def allows(self, bits):\n        return bits\n'
    kinds = "def other(value):\n    return value\n\n\ndef typed_verb(value):\n    return value\n"
    files = ("src/till.py", till), ("src/verbs.py", verbs), ("src/kinds.py", kinds)
    places = [
        (region.path, region.region.name)
        for region in ranked("add the query verb everywhere in till, VerbFilter.QUERY and typed_verb", *files)
    ]
    _, second, *_ = (at for at, (path, _) in enumerate(places) if path == "src/till.py")
    assert {("src/verbs.py", "VerbFilter"), ("src/kinds.py", "typed_verb")} <= set(places[:second])
    common = [(f"src/a{at}.py", kinds) for at in range(MAX_NAMESAKES + 1)]
    assert [region.value for region in ranked("typed_verb", *common)] == sorted(
        (region.value for region in ranked("typed_verb", *common)), reverse=True
    )


TILL = """def print_receipt(lines):
    return render(lines)


def render(rows):
    return rows


def sweep(broom):
    return broom


def close_day(day):
    print_receipt(day)
"""


def test_what_the_best_definition_calls_and_what_calls_it_gain_for_a_short_prompt() -> None:
    parts = {region.region.name: region.parts for region in ranked("the receipt is wrong", ("src/till.py", TILL))}
    assert "callsBest" in parts["close_day"]
    assert "calledByBest" in parts["render"]
    assert not {"callsBest", "calledByBest"} & parts["sweep"].keys()
    long = ranked("the receipt is wrong\n\n" + "It prints nothing at all. " * 20, ("src/till.py", TILL))
    assert not any({"callsBest", "calledByBest"} & region.parts.keys() for region in long)


def test_what_a_long_comment_describes_comes_directly_after_it() -> None:
    comment = "/*\n" + " * Hands a spare pelican to the walrus, and takes it back.\n" * 8 + " */\n"
    others = "".join(f"int spare{number}(void) {{\n  return pelican;\n}}\n\n\n" for number in range(40))
    text = f"{others}{comment}static int trick(int fd) {{\n  int err;\n\n  return fd;\n}}\n"
    order = ranked("spare pelican for the walrus", ("src/stream.c", text))
    names = [region.region.name for region in order]
    at = next(number for number, region in enumerate(order) if region.region.is_prose)
    assert names[at + 1] == "trick"
    assert len(names) == len({region.region.first for region in order})
    assert not any(
        region.region.name == "trick" for region in ranked("walrus fd", ("src/stream.c", "int a;\n" + others))
    )


def test_a_function_comes_before_its_declaration() -> None:
    declared = "interface Cart {\n  /** The total. */\n  int total(int rate);\n}\n"
    own = "class Basket implements Cart {\n  int total(int rate) {\n    return rate * sum(lines);\n  }\n}\n"
    first, second, *_ = ranked("`total` is wrong", ("src/Cart.java", declared), ("src/Basket.java", own))
    assert (first.path, second.path) == ("src/Basket.java", "src/Cart.java")
    assert "declaration" in second.parts


def test_a_score_is_the_sum_of_its_parts() -> None:
    for region in ranked("the owner of the cart, as in src/cart.py:8"):
        assert math.isclose(region.score, sum(region.parts.values()), abs_tol=0.002)


def test_a_region_in_a_stack_trace_gains() -> None:
    parts = {region.region.name: region.parts for region in ranked('File "src/cart.py", line 9, in owner')}
    assert "frame" in parts["Cart.owner"]
    assert "frame" not in parts["Cart.round_up"]


def test_a_frame_of_an_installed_copy_lies_in_the_source_that_ends_most_alike() -> None:
    prompt = 'File "/usr/lib/site-packages/till/cart.py", line 9, in owner'
    found = ranked(prompt, ("src/till/cart.py", CART), ("src/shop/cart.py", CART))
    assert {region.path for region in found if "frame" in region.parts} == {"src/till/cart.py"}
    found = ranked('File "/usr/lib/site-packages/other/cart.py", line 9, in owner', ("src/till/cart.py", CART))
    assert not any("frame" in region.parts for region in found)


def test_tests_come_after_sources() -> None:
    paths = [region.path for region in ranked("the total", ("tests/test_cart.py", CART), ("src/cart.py", CART))]
    assert paths[0] == "src/cart.py"


def test_a_test_beside_the_code_comes_after_it() -> None:
    zig = 'pub fn total() u32 {\n    return cart.total;\n}\n\ntest "the total of a cart" {\n    total(cart);\n}\n'
    parts = {region.region.name: region.parts for region in ranked("the total of a cart", ("src/cart.zig", zig))}
    assert parts["the total of a cart"]["test"] < 0
    assert "test" not in parts["total"]


def test_a_name_in_the_first_line_counts_more_and_the_ranks_in_a_file_differ() -> None:
    parts = {region.region.name: region.parts for region in ranked("The owner is wrong\n\nIt prints the total.")}
    assert parts["Cart.owner"]["titleName"] > parts["Cart.total"].get("titleName", 0.0)
    assert "rankInFile" not in parts["Cart.owner"]
    assert parts["Cart.total"]["rankInFile"] < 0


def test_examples_and_benchmarks_come_after_sources_unless_the_prompt_speaks_of_them() -> None:
    def is_aside(prompt: str, path: str) -> bool:
        return candidate_file(
            RankedFile(path, 5.0, {}, (), ()), (), WordMatches((), ()), read_evidence(prompt)
        ).is_aside

    assert is_aside("why does the parser round?", "benchmarks/parser.py")
    assert is_aside("why does the parser round?", "packages/till/examples/parser.ts")
    assert not is_aside("why is the benchmark of the parser slow?", "benchmarks/parser.py")
    own = ("src/workbench/parser.py", "src/benchmark/parser.py")
    assert not any(is_aside("why does the parser round?", path) for path in own)


def test_documents_come_after_sources_unless_the_prompt_asks_for_them() -> None:
    def document_share(prompt: str, path: str, parts: dict[str, float] | None = None) -> float:
        file, no_matches = RankedFile(path, 1.0, parts or {}, (), ()), WordMatches((), ())
        return candidate_file(file, (), no_matches, read_evidence(prompt)).document

    assert document_share("the total is wrong", "CHANGES.md") == 1.0
    assert 0 < document_share("the total in the documentation", "CHANGES.md") < 1.0
    assert document_share("the total in CHANGES.md", "CHANGES.md", {"namedPath": 14.0}) == 0.0
    assert document_share("the total is wrong", "src/cart.py") == 0.0


def test_a_changelog_is_its_newest_entries_and_an_older_one_that_the_prompt_is_about() -> None:
    entries = "".join(f"## 1.{n}\n\n" + "- Repair the cart\n" * 20 + "\n" for n in range(30, 0, -1))
    text = entries.replace("## 1.7\n", "## 1.7\n\n- Drop the voucher of Kilkenny\n")

    def first_lines(prompt: str) -> list[int]:
        return sorted(region.region.first for region in ranked(prompt, ("CHANGELOG.md", text)))

    assert max(first_lines("add our repair to the changelog")) <= 40
    assert first_lines("add our repair to the changelog")[0] == 1
    assert text[: text.index("Kilkenny")].count("\n") < first_lines("When did the Kilkenny voucher go?")[-1] + 5


def test_regions_are_chosen_by_value_within_the_bytes() -> None:
    regions = ranked("Why is `Cart.total` wrong?")
    for budget in (0, 150, 300, 10_000):
        chosen = choose_regions(regions, budget)
        assert sum(map(shown_bytes, chosen)) <= budget
        assert chosen == [region for region in regions if region in chosen]
    assert choose_regions(regions, 10_000) == regions


def test_equal_inputs_give_equal_rankings() -> None:
    assert ranked("the total of the owner") == ranked("the total of the owner")
    assert rank_regions([], read_evidence("total"), 0.0) == []


_ENDINGS = """
def stories_of_users(caches, tied, dies): return getUserNames(HTTPServerError, boxes, classes, classified)
def run(): running = planned + stopped_early + settings; __private_name = tying, lies, ie_mode, applies_to
def naïve(): return "größen überall", 東京タワー, Straße, x2y, v1_2_3, buzzes, agreed, needed, coping, copies
def other(): pass
"""


def test_a_region_that_is_not_counted_has_no_term_of_the_prompt(monkeypatch: pytest.MonkeyPatch) -> None:
    text = _ENDINGS.strip("\n").split("\n")
    summary = summarize("endings.py", _ENDINGS.strip("\n").encode())
    terms = {term for line in text for term in terms_of(line)}
    assert {"story", "apply", "copy"} <= terms
    skipped = 0
    for term in sorted(terms | {"absent", "y", "zz"}):
        sparing = index_regions(text, summary)
        assert len(sparing) == len(text)
        found = match_words(sparing, {term: 2.0}, (term,))
        skipped += sum(not region.has_any([term.removesuffix("y")]) for region in sparing)
        with monkeypatch.context() as context:
            context.setattr(region_ranking, "MAX_SOUGHT_TERMS", 0)
            assert found == match_words(index_regions(text, summary), {term: 2.0}, (term,)), term
    assert skipped > len(terms)


def test_the_tests_in_a_file_take_no_place_of_its_code() -> None:
    tests = "".join(
        f"    #[test]\n    fn voucher_{number}() {{\n        assert!(voucher(voucher));\n    }}\n\n"
        for number in range(40)
    )
    code = f"pub fn pay(voucher: u32) -> u32 {{\n    voucher\n}}\n\n#[cfg(test)]\nmod tests {{\n{tests}}}\n"
    assert ranked("a voucher pays twice", ("src/till.rs", code))[0].region.name == "pay"


def test_imports_are_chosen_only_with_other_code_of_their_file() -> None:
    text = "from cart import total\n\n\ndef show(cart):\n" + "    print(cart)\n" * 30
    found = ranked("the total of a cart", ("src/till.py", text))
    imports, code = sorted(found, key=lambda region: region.region.first)
    assert choose_regions([imports, code], shown_bytes(imports) + 150) == []
    assert choose_regions([imports, code], 10_000) == [imports, code]
    assert choose_regions([imports], 10_000) == [imports]
    frame = imports._replace(region=imports.region._replace(is_imports=False, is_frame=True))
    assert choose_regions([frame, code], shown_bytes(frame) + 150) == []
    assert choose_regions([frame, code], 10_000) == [frame, code]


def test_the_line_that_opens_a_type_is_chosen_only_with_code_below_it() -> None:
    pay = "impl Pay for Cart {\n    fn pay(&self) {\n" + "        give_change();\n" * 30 + "    }\n}\n"
    own = "impl Cart {\n    fn total(&self) {\n        sum();\n    }\n}\n"
    text = f"struct Cart;\n\n{pay}\n{own}"
    found = sorted(ranked("the total of a cart", ("till.rs", text)), key=lambda each: each.region.first)
    _struct, frame, paying, _own_frame, total = found
    assert (frame.region.is_frame, total.region.name) == (True, "Cart.total")
    assert choose_regions([frame, total], 10_000) == [total]
    assert choose_regions([frame, paying, total], shown_bytes(frame) + shown_bytes(total) + 150) == [total]
    assert choose_regions([frame, paying, total], 10_000) == [frame, paying, total]


def test_imports_and_the_line_that_opens_a_type_are_chosen_where_their_code_was_sent_before() -> None:
    text = "from cart import total\n\n\ndef show(cart):\n" + "    print(cart)\n" * 30
    imports, code = sorted(ranked("the total of a cart", ("src/till.py", text)), key=lambda each: each.region.first)
    sent = {(code.path, code.region.first)}
    assert choose_regions([imports, code], shown_bytes(imports) + 150, sent) == [imports]


def test_a_file_may_have_all_its_regions_as_candidates() -> None:
    text = "\n\n".join(f"def total_{number}(cart):\n    return cart + {number}\n" for number in range(50))
    lines, summary = text.rstrip("\n").split("\n"), summarize("src/till.py", text.encode())
    regions, evidence = index_regions(lines, summary), read_evidence("the total of a cart")
    file = CandidateFile("src/till.py", 5.0, False, regions, match_words(regions, {"total": 2.0}, evidence.title))
    assert len(rank_regions([file], evidence, 2.0)) == region_ranking.REGIONS_PER_FILE
    assert len(rank_regions([file._replace(has_all_regions=True)], evidence, 2.0)) == 50


def test_the_line_that_several_windows_belong_to_counts_once() -> None:
    text = "def total():\n" + "".join(f"    step_{number}(total)\n" for number in range(120))
    later = [region for region in ranked("the total of a cart", ("src/till.py", text)) if region.region.head]
    assert len(later) >= 2
    whole = sum(map(shown_bytes, later)) + len("src/till.py") + region_ranking.FILE_BYTES
    once = whole - (len(later) - 1) * region_ranking.HEAD_BYTES
    assert choose_regions(later, once) == later
    assert choose_regions(later, once - 1) != later


def test_of_a_short_prompt_file_and_closeness_count_more_and_size_less() -> None:
    """A sentence has few of the words of all the code that the work needs; small scraps of other files have some."""
    body = "\n".join(f"    self.walrus_{number}()" for number in range(12))
    best = f"def pelican():\n    return zebra\n\n\ndef rest(self):\n{body}\n"
    files = ("src/best.py", best), ("src/other.py", "def heron():\n    return 1\n")
    sentence = "the pelican and the zebra"
    short = {region.region.name: region for region in ranked(sentence, *files)}
    long = {region.region.name: region for region in ranked(f"{sentence}\n{'so it is ' * 30}", *files)}
    assert short["rest"].parts["near"] > long["rest"].parts["near"] > 0
    assert short["heron"].parts["fileScore"] < long["heron"].parts["fileScore"] < 0
    costs = [found["rest"].score - found["rest"].value for found in (short, long)]
    assert 0 < costs[0] < costs[1]
