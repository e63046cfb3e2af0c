"""English words are found for texts in nine other languages, and none for English ones."""

from sidecar.language.english_translation import MAX_CHARACTERS, MAX_WORDS, english_words
from tests.support.cases import together


@together(
    ("text", "words"),
    [
        ("o botão de salvar não funciona na tela de login", {"button", "save"}),
        ("el botón de guardar no funciona en la pantalla de ajustes", {"button", "save", "screen", "settings"}),
        ("le bouton d'enregistrement ne marche pas sur la page des réglages", {"button", "settings"}),
        ("der Knopf zum Speichern geht nicht in den Einstellungen", {"save", "settings"}),
        ("il pulsante per salvare non funziona nelle impostazioni", {"button", "save", "settings"}),
        ("de knop om op te slaan werkt niet in de instellingen", {"button", "settings"}),
        ("кнопка не может сохранить настройки", {"button", "save", "settings"}),
        ("設定画面の保存ボタンが動きません", {"settings", "screen", "save"}),
        ("设置页面的保存按钮不起作用", {"settings", "page", "save", "button"}),
    ],
)
def test_a_language_is_read_with_its_own_words(text: str, words: set[str]) -> None:
    assert words <= set(english_words(text))


@together(
    "text",
    [
        "",
        "hi",
        "fix the login bug",
        "add dark mode",
        "rename the table's data column to date",
        "The media list is in the audio menu. Add a format option to it.",
        "invoice_of",
        "photos don't load",
        "TypeError: can only concatenate str",
    ],
)
def test_an_english_text_has_no_other_words(text: str) -> None:
    assert english_words(text) == ()


def test_a_short_text_without_function_words_is_read_by_its_words() -> None:
    assert {"password", "change"} <= set(english_words("Passwort ändern"))
    assert {"change", "language"} <= set(english_words("cambiar idioma"))


def test_a_compound_is_read_by_its_parts() -> None:
    assert {"setting", "page"} <= set(english_words("die Einstellungsseite lädt nicht, wenn ich sie öffne"))


def test_words_with_other_endings_are_read() -> None:
    assert "button" in english_words("все кнопки, а также кнопками и кнопкой")
    assert "uploaded" in english_words("der Ordner, in den hochgeladene Dateien kommen")


def test_names_remain_names() -> None:
    assert "print" not in english_words("el invoice_of y printOrder no salen en la factura")


def test_a_long_text_is_read_at_its_beginning() -> None:
    assert "button" not in english_words("der die das und " * (MAX_CHARACTERS // 16) + " Schaltfläche")
    many = " ".join(["der", "die", "das", *("Schaltfläche Einstellungen Passwort Sprache".split() * 200)])
    assert len(english_words(many)) <= MAX_WORDS
