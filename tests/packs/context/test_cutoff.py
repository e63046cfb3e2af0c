"""A prompt that names a file is about it, its linked files, and clear word matches."""

from sidecar.codebase import RankedFile, RankedRegion, summarize
from sidecar.codebase.search.regions import Region
from sidecar.packs import comes_last, dominant_file, files_above_cutoff, with_evidence
from sidecar.packs.byte_budget import context_share
from sidecar.packs.file_cutoff import BEST_OTHERS, near_subject
from sidecar.packs.related_files import named_failing_tests
from sidecar.packs.relevant_files import likeliest_file_first, subject_with_best_match

NAMED = RankedFile("src/cart.py", 20.0, {"namedPath": 14.0, "text": 2.37}, ("cart",), ())
MENTIONED = RankedFile("src/till.py", 24.0, {"mentioned": 20.0}, (), ())


def other(path: str = "src/other.py", matched: tuple[str, ...] = ("fix",), **parts: float) -> RankedFile:
    return RankedFile(
        path, sum(parts.values()), parts, matched, (("imports", "src/cart.py"), ("changedTogether", "src/x.py"))
    )


BEST = [other(f"best{number}.py", recent=1.0) for number in range(BEST_OTHERS)]


def test_the_best_files_remain_beside_a_named_one() -> None:
    assert files_above_cutoff([NAMED, *BEST, other("z.py", recent=1.0)]) == [NAMED, *BEST]


def test_without_a_named_file_all_files_remain() -> None:
    found = [other("a.py", text=0.1), other("b.py", recent=1.0)]
    assert files_above_cutoff(found) == found


def test_instruction_files_are_dropped_unless_named() -> None:
    rules, own = other("AGENTS.md", text=2.0), other("web/CLAUDE.md", text=2.0, namedPath=14.0)
    assert files_above_cutoff([rules, other("a.py", text=1.0)]) == [other("a.py", text=1.0)]
    assert files_above_cutoff([own, rules]) == [own]


def test_files_for_agents_remain_only_where_the_prompt_or_the_work_is_about_them() -> None:
    source, skill = other("a.py", text=1.0), ".agents/skills/add-model/SKILL.md"
    for path in (skill, ".claude/commands/build.md", ".github/prompts/build.prompt.md", ".cursor/rules/go.mdc"):
        assert files_above_cutoff([other(path, ("build",), text=2.0), source]) == [source]
    for relevant in (
        other(skill, ("skill", "model"), text=2.0),
        other(skill, text=2.0, namedPath=14.0),
        other(skill, text=2.0, changedWithTouched=1.0),
    ):
        assert relevant in files_above_cutoff([relevant, source])


def test_a_named_file_keeps_its_linked_files() -> None:
    linked, faintly, elsewhere = other("a.py", imports=0.5), other("b.py", imports=0.1), other("c.py", together=0.9)
    assert files_above_cutoff([NAMED, *BEST, linked, faintly, elsewhere]) == [NAMED, *BEST, linked]


def test_all_named_and_mentioned_files_remain() -> None:
    assert files_above_cutoff([*BEST, other("a.py", recent=1.0), MENTIONED, NAMED]) == [*BEST, MENTIONED, NAMED]


def test_a_prompt_that_names_only_tests_is_about_what_they_test() -> None:
    failing = other("tests/test_cart.py", namedPath=14.0)
    assert files_above_cutoff([failing, other("a.py", text=0.1)]) == [failing, other("a.py", text=0.1)]
    assert files_above_cutoff([failing, NAMED, *BEST, other("a.py", text=0.1)]) == [failing, NAMED, *BEST]


def test_a_file_with_clear_word_matches_is_included() -> None:
    clear = other("a.py", ("discount", "apply"), text=2.0, passage=1.5)
    one_word = other("b.py", ("discount",), text=2.0, passage=1.5)
    in_passing = other("c.py", ("discount", "apply"), text=0.4, passage=0.3)
    assert files_above_cutoff([NAMED, *BEST, clear, one_word, in_passing]) == [NAMED, *BEST, clear]


def test_a_file_with_function_words_alone_is_dropped_unless_a_supported_file_leads_to_it() -> None:
    common = other("a.py", ("the", "value"), text=1.8, passage=1.6)
    rare = other("src/cart.py", ("value", "voucher"), text=1.0)
    linked, faintly = other("b.py", ("the",), imports=0.5), other("c.py", ("the",), imports=0.1)
    by_commits, by_work = other("d.py", (), nearestCommits=0.9), other("e.py", (), changedWithTouched=0.9)
    assert with_evidence([common, rare, linked, faintly, by_commits, by_work], {"voucher"}) == [
        rare, linked, by_commits, by_work,
    ]  # fmt: skip
    assert with_evidence([common, by_commits, NAMED], ()) == [NAMED]
    assert with_evidence([rare, by_commits], {"voucher"}, by_commits=False) == [rare]


def test_files_with_few_of_the_subject_words_are_dropped_unless_they_are_near_the_best_one() -> None:
    best, half = other("a.py", ("voucher", "refund"), text=8.0), other("b.py", ("voucher",), text=2.0)
    near, far = other("c.py", ("voucher",), text=6.5), other("d.py", ("voucher",), text=5.5)
    linked, work = other("e.py", (), imports=7.0), other("f.py", (), changedWithTouched=1.0)
    assert near_subject([best, half, linked, work], {"voucher", "refund"}) == [best, half, work]
    assert near_subject([best, near, far], {"voucher", "refund", "parcel"}) == [best, near]
    assert near_subject([best, linked], frozenset()) == [best, linked]
    words = frozenset(("voucher", "refund", "parcel", "label", "stamp"))
    by_path = RankedFile("refund/g.py", 2.2, {"text": 1.0, "path": 1.2}, ("voucher", "refund"), ())
    assert near_subject([best, by_path, other("g.py", ("voucher", "refund"), text=2.2)], words) == [best, by_path]


def test_the_best_files_words_are_a_subject_if_it_has_none_of_the_others() -> None:
    subject, specific = frozenset(("pool",)), frozenset(("pool", "dice", "class", "count"))
    best = other("evaluate.py", ("dice", "class", "the"), text=3.0)
    assert subject_with_best_match(subject, specific, [best]) == {"pool", "dice", "class"}
    assert subject_with_best_match(subject, specific, [other("a.py", ("dice",), text=3.0)]) == subject
    assert subject_with_best_match(subject, specific, [other("a.py", ("dice", "pool"), text=3.0)]) == subject
    assert subject_with_best_match(frozenset(), specific, [best]) == frozenset()
    assert subject_with_best_match(subject, specific, []) == subject


def test_tests_and_generated_files_come_last_unless_requested() -> None:
    test, lock = other("tests/test_cart.py", text=1.0), other("yarn.lock", text=1.0)
    assert comes_last(test, None, wants_tests=False)
    assert not comes_last(test, None, wants_tests=True)
    assert comes_last(lock, None, wants_tests=True)
    assert not comes_last(other("yarn.lock", namedPath=14.0), None, wants_tests=False)
    assert not comes_last(other("src/cart.py", text=1.0), None, wants_tests=False)


def test_a_file_with_a_generator_in_its_head_comes_last_unless_it_is_named() -> None:
    mock = summarize("src/otter_mock.go", b"// Code generated by MockGen. DO NOT EDIT.\n\npackage otter\n")
    assert comes_last(other("src/otter_mock.go", text=1.0), mock, wants_tests=False)
    assert not comes_last(other("src/otter_mock.go", namedPath=14.0), mock, wants_tests=False)


def test_a_file_that_calls_itself_deprecated_comes_last_unless_it_is_named() -> None:
    old = summarize("src/old_otter.py", b'"""Deprecated, use `otter` instead."""\n\nfrom src.otter import swim\n')
    live = summarize("src/otter.py", b'"""Otters; a deprecated one is refused."""\n\ndef swim():\n    pass\n')
    assert comes_last(other("src/old_otter.py", text=1.0), old, wants_tests=False)
    assert not comes_last(other("src/old_otter.py", namedPath=14.0), old, wants_tests=False)
    assert not comes_last(other("src/otter.py", text=1.0), live, wants_tests=False)
    checker = summarize("src/checker.py", b'"""Deprecated features checker: warns of old otters."""\n')
    assert not comes_last(other("src/checker.py", text=1.0), checker, wants_tests=False)


def test_a_test_that_fails_comes_last_although_it_is_named() -> None:
    test = other("tests/test_cart.py", namedPath=14.0)
    assert named_failing_tests([test, NAMED], {"fail", "cart"}) == {"tests/test_cart.py"}
    assert named_failing_tests([test, NAMED], {"add", "cart"}) == frozenset()
    assert comes_last(test, None, wants_tests=False, is_failing=True)
    assert not comes_last(test, None, wants_tests=False)


def test_the_context_share_falls_with_the_number_of_specific_words_but_not_for_names() -> None:
    assert context_share("bump version", {"bump"}) < context_share("bump version", {"bump", "version"}) < 1.0
    assert context_share("bump locked version", {"bump", "lock", "version"}) == 1.0
    for query in ("apply_discount", "src/cart.py", "at total (cart.py:7)", "Cart.total"):
        assert context_share(query, {"cart"}) == 1.0


def test_a_file_far_before_the_others_dominates_unless_files_are_named() -> None:
    best, second = other("a.py", text=8.0), other("b.py", text=5.1)
    assert dominant_file([second, best]) is None
    assert dominant_file([other("c.py", text=4.9), best]) == "a.py"
    assert dominant_file([best, NAMED]) is None
    assert dominant_file([best]) is None


def test_the_first_file_is_the_likeliest_by_its_best_region_and_its_own_score() -> None:
    def region(path: str, value: float) -> RankedRegion:
        return RankedRegion(path, Region(1, 9), value, value, (), 300)

    best, close, far = region("src/cart.py", 3.0), region("src/till.py", 2.8), region("src/shop.py", 1.0)
    scores = {"src/cart.py": 4.0, "src/till.py": 8.0, "src/shop.py": 9.0}
    assert likeliest_file_first([best, close, far], scores, ()) == [close, best, far]
    assert likeliest_file_first([best, close, far], scores, {"src/cart.py"}) == [best, close, far]
    assert likeliest_file_first([], scores, ()) == []
