"""What a prompt quotes leads to the line that it comes from, and from a catalogue's entry to the code that uses it."""

from collections.abc import Mapping, Sequence
from functools import partial

import pytest

from sidecar.codebase.search.quoted_texts import (
    as_quotations,
    code_words_of_labels,
    entry_key,
    find_quoted,
    quoted_texts,
    words_of_translated_texts,
)
from sidecar.packs import search_query
from tests.support.cases import together
from tests.support.growth import takes_linear_time


@together(
    ("prompt", "quoted"),
    [
        ('the button "Save changes" does nothing', ["Save changes"]),
        ("the button 'Don't save' does nothing, it's broken", ["Don't save"]),
        ("“Save changes” does nothing", ["Save changes"]),
        ("der Knopf „Änderungen speichern“ tut nichts", ["Änderungen speichern"]),
        ("le bouton « Enregistrer tout » ne fait rien", ["Enregistrer tout"]),
        ("「変更を保存」が動かない", ["変更を保存"]),
        ("`Save all changes` is cut off", ["Save all changes"]),
        ('renames "Save changes" to "Keep changes"', ["Save changes", "Keep changes"]),
        ("error: no such option --foo", ["no such option --foo"]),
        ("it says: cannot open cart.txt", ["cannot open cart.txt"]),
        ("ValueError: cart has no lines", ["cart has no lines"]),
        ("it panics with 'reading the cart: Os { code: 2, kind: NotFound }'", ["reading the cart"]),
        ("[shop] Failed to load the cart", ["Failed to load the cart"]),
        ("Why this?\n\nMounted cart as /home/me/cart\n", ["Mounted cart as /home/me/cart"]),
    ],
)
def test_quotations_and_messages_are_read(prompt: str, quoted: Sequence[str]) -> None:
    assert quoted_texts(prompt) == list(quoted)


@together(
    "prompt",
    [
        "make the button save the changes",
        'the button "Save" does nothing',
        "`save_changes(cart, all)` fails",
        "`shop update` fails, and `const char *` too",
        'it expects "shop::Cart of lines"',
        "the users' carts and the shops' prices",
        '<a class="wide button">',
        "fix(cart): round the total",
        "add: a button",
        'open "src/cart.py"',
        "a request with 'Content-Encoding: GZIP' fails",
        "  Failed Shop.Tests.CartTests.Rounds(3) [3 ms]\n  Error Message:\n   Assert.Equal()\n  Stack Trace:",
        "   FAILED  Tests\\CartTest > it sums\n  Failed asserting that two numbers are identical.",
        "# ./spec/cart_spec.rb:14:in 'block (2 levels) in <main>'",
    ],
)
def test_single_words_code_and_apostrophes_quote_nothing(prompt: str) -> None:
    assert quoted_texts(prompt) == []


@pytest.mark.parametrize(
    "output",
    [
        "cart_test.go:12:\n  Error Trace:\t/home/me/cart_test.go:12\n  Error:      \tNot equal: \n  expected: 204",
        'Error:          "[1 2]" should have 3 item(s), but has 2',
        "Error: Not equal:\n  expected: 204\n  actual  : 500",
        "AssertionError: expected [ 1, 2 ] to deeply equal [ 1, 3 ]",
        "Error: expect(received).toBe(expected) // Object.is equality\n\n  Expected: 3\n  Received: 2",
        "org.opentest4j.AssertionFailedError: expected: <three lines> but was: <two lines>",
        "E       AssertionError: assert cart.total == other.total",
        "AssertionError: False is not true",
        "AssertionError: Lists differ: ['cart'] != ['basket']",
        "assertion `left == right` failed\n  left: 401\n right: 429",
        "Failure/Error: expect(cart.total).to eq 3\n  expected: 3\n       got: 2",
    ],
)
def test_the_words_of_an_assertion_that_fails_quote_nothing(output: str) -> None:
    assert quoted_texts(f"this fails:\n\n{output}\n") == []


@pytest.mark.parametrize(
    ("output", "quoted"),
    [
        ("AssertionError: the cart must have lines", "the cart must have lines"),
        ("SyntaxError: expected a colon after the name", "expected a colon after the name"),
        ("Error: Should the cart be empty, say so", "Should the cart be empty, say so"),
        ("E   AssertionError: assert 'No such cart' == name", "No such cart"),
        ('Expected: "Total of three"', "Total of three"),
    ],
)
def test_what_a_program_prints_in_a_test_that_fails_is_quoted(output: str, quoted: str) -> None:
    assert quoted_texts(f"this fails:\n{output}\n") == [quoted]


def test_a_query_repeats_the_quotations_of_its_prompt() -> None:
    prompt = "Why does it say 'Could not save' and \"No such cart\"?"
    assert quoted_texts(search_query(prompt)) == quoted_texts(prompt) == ["Could not save", "No such cart"]
    assert quoted_texts(as_quotations(["Could not save"])) == ["Could not save"]


@pytest.mark.parametrize("part", ['"a b', "'a b ", "“a b", "`a b ", "«a b", "says ", "Error ", "aException.", "'a'b"])
def test_a_long_prompt_is_read_in_linear_time(part: str) -> None:
    assert takes_linear_time(lambda size: partial(quoted_texts, part * (size // len(part))), 15_000)


def places(prompt: str, files: Mapping[str, str]) -> list[tuple[str, int, bool]]:
    """Return path, line and kind of the places, where every file is a candidate."""
    found = find_quoted(prompt, lambda _: list(files), lambda paths: {path: files[path] for path in paths})
    return [(place.path, place.line, place.is_use) for place in found]


@together(
    ("source", "quoted"),
    [
        ('raise Failure(f"Could not open {name}")', "Could not open cart.txt"),
        ('fmt.Errorf("todo %s not found in %q", id, list)', "todo 3f2a not found in the big list"),
        ("throw Error(`Order ${order.id} has no lines`)", "Order 17 has no lines"),
        ('let text = "The entry \\(path) is missing"', "The entry a/b.js is missing"),
        ('abort "User #{user.id} lacks permissions."', "User 17 lacks permissions."),
        ('throw new E("Cannot read " + path + " as text");', "Cannot read a.txt as text"),
        ('"Are you sure to delete {{title}}?"', "Are you sure to delete my cart?"),
        ("error!(\"unknown theme '{theme}', using default\")", "unknown theme 'solar', using default"),
        ("<p>Your cart has {{ count }} lines</p>", "Your cart has 3 lines"),
    ],
)
def test_placeholders_stand_for_anything(source: str, quoted: str) -> None:
    files = {"a.py": f"# the cart\n{source}\n", "b.py": 'open("Could not close the order")\n'}
    assert places(f'it shows "{quoted}"', files) == [("a.py", 2, False)]


def test_a_whole_text_counts_more_than_a_part_of_one_or_a_comment() -> None:
    files = {
        "a.py": 'label("Save changes")\n',
        "b.py": "# Save changes only once\n",
        "c.py": 'label("Save changes now")\n',
        "d.py": 'route("/save-changes")\n',
    }
    assert places('"Save changes" fails', files) == [("a.py", 1, False)]
    assert places('"save Changes" fails', {"a.py": files["a.py"]}) == [("a.py", 1, False)]


CATALOGUES = {
    "web/locales/en.json": ('{\n  "cart": {\n    "save": "Save changes"\n  }\n}\n', "t('cart.save')"),
    "lang/en/cart.php": ("<?php\nreturn [\n    'save_all' => 'Save changes',\n];\n", "{{ trans('cart.save_all') }}"),
    "config/locales/en.yml": ("en:\n  label_save: Save changes\n", "<%= l(:label_save) %>"),
    "app/src/main/res/values/strings.xml": (
        '<resources>\n<string name="save">Save changes</string>\n</resources>\n',
        "setText(R.string.save)",
    ),
    "app/en.lproj/Localizable.strings": ('"alert.save" = "Save changes";\n', 'show(NSLocalizedString("alert.save"))'),
    "assets/i18n/app_en.arb": ('{\n  "saveChanges": "Save changes"\n}\n', "Text(l10n.saveChanges)"),
    "messages.properties": ("cart.save=Save changes\n", 'message("cart.save")'),
    "pkg/i18n/english.go": ('\t\tSaveChanges: "Save changes",\n', "c.Tr.SaveChanges,"),
    "src/texts.ts": ('export const TEXT_SAVE = "Save changes";\n', "button(TEXT_SAVE)"),
}


@together("catalogue", CATALOGUES)
def test_the_key_of_a_catalogues_entry_leads_to_the_code_that_uses_it(catalogue: str) -> None:
    entry, use = CATALOGUES[catalogue]
    files = {catalogue: entry, "src/button.tsx": f"//\n{use}\n", "src/other.tsx": "resave(cart_save, saved)\n"}
    number = next(at for at, line in enumerate(entry.split("\n"), 1) if "Save changes" in line)
    assert places('"Save changes" fails', files) == [(catalogue, number, False), ("src/button.tsx", 2, True)]


def test_of_translations_that_repeat_a_text_the_original_counts() -> None:
    entry = '{\n  "cart": {\n    "save": "Save changes"\n  }\n}\n'
    files = {f"locales/{code}.json": entry for code in ("da", "en", "fr")}
    assert places('"Save changes" fails', files) == [("locales/en.json", 3, False)]


def test_a_text_in_many_files_leads_nowhere() -> None:
    assert places('"Save changes" fails', {f"{number}.py": 'a("Save changes")' for number in range(9)}) == []


KEYS = {
    "i18n/de.json": '{\n  "web": {\n    "invalidPin": "Falsche PIN"\n  }\n}\n',
    "i18n/en.json": '{\n  "web": {\n    "other": "the invalidPin",\n    "invalidPin": "Wrong PIN"\n  }\n}\n',
    "src/dialog.ts": "const invalidPin = true;\n",
    "src/page.ts": "show(t.web.invalidPin);\n",
}


@pytest.mark.parametrize("name", ["invalidPin", "web.invalidPin"])
def test_a_key_that_a_prompt_about_texts_names_leads_to_its_entry_and_uses(name: str) -> None:
    expected = [("i18n/en.json", 4, False), ("src/page.ts", 1, True)]
    assert places(f"rename the string {name} in all languages", KEYS) == expected


@pytest.mark.parametrize(
    "prompt",
    [
        "why is invalidPin never reset?",
        "rename the string noSuchKey in all languages",
        "rename the string app.invalidPin in all languages",
        "rename the string invalid in all languages",
    ],
)
def test_a_name_of_the_code_leads_to_no_catalogue(prompt: str) -> None:
    assert places(prompt, KEYS) == []


def test_the_keys_around_an_entry_belong_to_its_key() -> None:
    text = "en:\n  cart:\n    lines:\n      none: No lines yet\n    save: Save changes\n"
    assert entry_key("locales/en.yml", text, 5) == "en.cart.save"
    assert entry_key("locales/en.yml", text, 4) == "en.cart.lines.none"
    assert entry_key("src/cart.py", 'label = "Save changes"', 1) == ""


WORDS = [f"word{letter}" for letter in "abcdefghijklmnopqrstuvwxyz"]


@pytest.mark.parametrize("part", ["      ".join(WORDS) + "\t", "{} ".join(WORDS), '"worda wordb ', "worda wordb\n"])
def test_a_hostile_file_is_searched_in_linear_time(part: str) -> None:
    prompt = f'"{" ".join(WORDS)} the end"'
    assert takes_linear_time(lambda size: partial(places, prompt, {"a.py": part * (size // len(part))}), 50_000)


CATALOGUE = """{
  "page.login.webauthn_login": "Log in with passkey",
  "page.settings.webauthn.register": "Register a passkey",
  "page.settings.webauthn.passkeys": "Passkeys",
  "page.cart.title": "Cart",
  "passkey": "Something else"
}
"""


def test_a_word_that_only_users_see_leads_to_the_words_of_its_keys() -> None:
    texts = {"locales/en.json": CATALOGUE, "locales/de.json": CATALOGUE.replace("passkey", "Passkey-Taste")}

    def words(term: str, *more: str) -> list[str]:
        return code_words_of_labels(term, [*texts, *more], lambda paths: {path: texts[path] for path in paths})

    assert words("passkey") == ["webauthn"]
    assert words("passkey", "README.md", "src/a.ts") == ["webauthn"]
    assert words("passkey", *(f"src/part_{number}.ts" for number in range(4))) == [], "code has the word"
    assert words("voucher") == []
    assert words("cart") == [], "one key alone may be about anything"
    assert code_words_of_labels("passkey", ["config/en.json"], lambda _: {"config/en.json": CATALOGUE}) == []


MENU = '<a>\n<s x:Key="T.Tag.Add">{}</s>\n<s x:Key="T.Tag.Gone">{}</s>\n<s x:Key="T.Cart.Add">{}</s>\n</a>\n'


def test_a_word_of_another_language_means_those_of_its_entries_in_english() -> None:
    files = {
        "Locales/en_US.axaml": MENU.format("Create label", "Label deleted", "Create cart"),
        "Locales/de_DE.axaml": MENU.format("Schlagwort anlegen", "Schlagwort entfernt", "Wagen anlegen"),
        "Locales/da_DK.axaml": MENU.format("Lav etiket", "Etiket slettet", "Lav vogn"),
    }

    def words(*terms: str) -> list[str]:
        with_terms = dict.fromkeys(terms, ("Locales/de_DE.axaml",))
        return words_of_translated_texts(
            with_terms, lambda paths: {path: files[path] for path in paths if path in files}
        )

    assert words("schlagwort") == ["label", "tag"]
    assert words("anlegen") == ["creat"]
    assert words("wagen") == [], "one entry alone may be about anything"
    assert words() == []
