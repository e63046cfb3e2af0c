"""Words become terms in any script, and the forms of one word meet."""

from collections.abc import Callable

from hypothesis import given
from hypothesis import strategies as st

from sidecar.core.terms import (
    MAX_WORD_CHARACTERS,
    count_terms,
    identifiers_of,
    paths_in,
    query_terms,
    query_words,
    stem,
    terms_of,
)
from tests.support.cases import together
from tests.support.growth import takes_linear_time


@together(
    "forms",
    [
        "cache caches cached caching", "setting settings set sets", "cancel cancels cancelled canceled cancelling",
        "install installs installed installing", "process processes processed processing", "box boxes",
        "fix fixes fixed fixing", "type types typed typing", "query queries queried querying", "cookie cookies",
        "retry retries retried retrying", "string strings", "address addresses addressing", "call calls called calling",
        "index indexes indexed indexing", "run runs running", "parse parses parsed parsing", "match matches matching",
        "commit commits committed committing", "status statuses", "size sizes sized", "delete deletes deleting",
        "dependency dependencies", "file files", "patch patches patched", "stop stopped stopping", "use uses",
    ],
)  # fmt: skip
def test_the_forms_of_a_word_share_a_stem(forms: str) -> None:
    assert len({stem(form) for form in forms.split()}) == 1


@together("pair", ["string str", "spring spr", "thing th", "red re", "class cla", "bus bu", "this thi"])
def test_different_words_have_different_stems(pair: str) -> None:
    left, right = pair.split()
    assert stem(left) != stem(right)


@together(
    ("text", "expected"),
    [
        ("combineURLs", ["combineurl", "combin", "url"]),
        ("HTTPServer", ["httpserver", "http", "server"]),
        ("LruCache", ["lrucach", "lru", "cach"]),
        ("getHTTPResponse2", ["gethttpresponse2", "get", "http", "respons"]),
        ("parse_json_file", ["parsejsonfil", "pars", "json", "fil"]),
        ("isIPv4", ["isipv4", "is", "ipv4"]),
        ("parse_ipv6", ["parseipv6", "pars", "ipv6"]),
        ("kebab-case-name", ["kebab", "cas", "nam"]),
        ("修复LruCache", ["修复", "lrucach", "lru", "cach"]),
        ("修复LruCache的问题", ["修复", "lrucach", "lru", "cach", "的问", "问题"]),
        ("キャッシュ", ["キャ", "ャッ", "ッシ", "シュ"]),
        ("ПроверкаСвязи", ["проверкасвязи", "проверка", "связи"]),
        ("größeBerechnen", ["grosseberechnen", "gross", "berechnen"]),
        ("configuração", ["configuracao"]),
        ("Straße", ["stras"]),
    ],
)
def test_identifiers_are_split_in_any_script(text: str, expected: list[str]) -> None:
    assert list(terms_of(text)) == expected


def test_composed_and_decomposed_accents_and_none_are_the_same() -> None:
    assert list(terms_of("caf\u00e9s")) == list(terms_of("cafe\u0301s"))
    assert set(terms_of("café")) == set(terms_of("cafe"))


def test_significant_terms_exclude_stop_words() -> None:
    assert query_terms("Please fix the caching of LruCache because these files don't use it") == [
        "fix", "cach", "lrucach", "lru",
    ]  # fmt: skip
    assert query_terms("using things, looks working; this was there before") == []
    assert query_words("Fix the caching") == {"fix": "fix", "cach": "caching"}


def test_a_term_is_shown_as_the_part_of_the_word_that_it_comes_from() -> None:
    words = query_words("setSignedCookie of the JWTミドルウェアで and 修复CORS中间件")
    assert [words[term] for term in ("cooky", "sign", "jwt", "cor", "修复")] == [
        "cookie",
        "signed",
        "jwt",
        "cors",
        "修复",
    ]


def test_a_word_that_shares_the_stem_of_a_stop_word_is_a_term_of_a_short_text() -> None:
    assert query_terms("a theme, the dates and notes") == ["them", "dat", "not"]
    assert query_words("themes for notes") == {"them": "themes", "not": "notes"}
    assert query_terms("the monthly report has wrong notes") == ["monthly", "report", "wrong"]
    assert query_terms("it makes, uses and tries them here, for sure") == []


def test_a_word_that_shares_the_stem_of_a_foreign_stop_word_is_a_term_of_any_text() -> None:
    assert query_terms("the monthly report has wrong dates") == ["monthly", "report", "wrong", "dat"]
    assert query_words("show the date of each article in the footer")["dat"] == "date"
    assert query_terms("zeig dat veld ook in het rapport van de klant") == query_terms("zeig veld rapport klant")


def test_data_is_not_a_word() -> None:
    assert query_terms("4711 x " + "A1" * MAX_WORD_CHARACTERS) == []


@given(st.text(max_size=200))
def test_counting_and_listing_agree(text: str) -> None:
    listed: dict[str, int] = {}
    for term in terms_of(text):
        listed[term] = listed.get(term, 0) + 1
    assert count_terms(text) == listed
    assert all(term == term.casefold() and term for term in listed if term.isascii())


@together(
    ("text", "expected"),
    [
        ("see src/app.py and lib/x.ts.", ["src/app.py", "lib/x.ts"]),
        ("in .github/workflows/ci.yml, .gitignore", [".github/workflows/ci.yml", ".gitignore"]),
        ('File "/srv/shop/src/app.py", line 3, in f', ["srv/shop/src/app.py"]),
        ("at total (/srv/shop/src/cart.ts:10:5)", ["srv/shop/src/cart.ts"]),
        ("at com.shop.Cart.total(Cart.java:42)", ["com.shop.Cart.total", "Cart.java"]),
        (r"C:\shop\src\app.cs:line 7", ["shop/src/app.cs"]),
        (r'{"file": "C:\\shop\\src\\app.cs"}', ["shop/src/app.cs"]),
        ("[the cart](src/cart.ts) [src/x.ts]", ["src/cart.ts", "src/x.ts"]),
        ("app/[id]/page.tsx and app/(group)/x", ["app/[id]/page.tsx"]),
        ("./run.sh ../up.py", ["run.sh", "../up.py"]),
        ("the Makefile and docs/Dockerfile", ["Makefile", "docs/Dockerfile"]),
        ("@Plan.md, @src/app.py and @/lib/x.ts", ["Plan.md", "src/app.py", "lib/x.ts"]),
        ("größe/日本.md", ["größe/日本.md"]),
        ("e.g. this, i.e. that, and/or 3.14 ... v2.0", []),
    ],
)
def test_paths_are_recognized_in_prompts_and_stack_frames(text: str, expected: list[str]) -> None:
    assert paths_in(text) == expected


def test_identifiers_are_recognized() -> None:
    assert identifiers_of("call getUser and user_id, Cart.total, std::move in 修复LruCache plainly") == [
        "getUser", "user_id", "Cart.total", "std::move", "LruCache",
    ]  # fmt: skip


def test_an_option_of_several_words_is_read_as_the_code_names_it() -> None:
    text = "does `--one-file-system` skip --all-the-way-- or -x?"
    assert identifiers_of(text) == ["one_file_system"]
    assert query_terms(text)[:1] == query_terms("one_file_system")[:1]


@together("piece", ["a", "A", "a.", "a/", ".", "/", "aB", "a_", "1", "é", "修", "修a", "[", "a-", "_", "A1"])
def test_time_grows_linearly_with_the_text(piece: str) -> None:
    def work_of(length: int) -> Callable[[], None]:
        text = piece * (length // len(piece)) + "!"

        def read() -> None:
            for function in (paths_in, identifiers_of, count_terms, query_words):
                function(text)

        return read

    assert takes_linear_time(work_of, 12_000)


def test_scripts_with_and_without_spaces_are_split_apart() -> None:
    assert list(count_terms("naïve Größe привет 数据库 session数据")) == [
        "naiv", "gross", "привет", "数据", "据库", "session",
    ]  # fmt: skip


@given(
    st.lists(st.sampled_from([*"aB_1 \n<=", "é", "e\u0301", "\u0338", "\u037e", "\u212a", "中文", "\u3000", "Ж", "ǅ"]))
)
def test_counting_a_text_agrees_with_its_terms_in_order(parts: list[str]) -> None:
    text = "".join(parts)
    terms = list(terms_of(text))
    assert count_terms(text) == {term: terms.count(term) for term in terms}
    assert list(count_terms(text)) == list(dict.fromkeys(terms))
