"""A note is one clean sentence, then what it refers to; a title keeps names and negations."""

import pytest

from sidecar.memory.capture.extract_notes import MAX_TITLE, extract_notes, note_title, read_message
from sidecar.memory.capture.session_material import SessionSummary, Utterance
from tests.support.cases import together


@together(("sentence", "title"), [
    ("no, please use **pnpm** instead of `npm`.", "Use pnpm instead of `npm`"),
    ("no - keep the counts, only clear big outputs", "Keep the counts, only clear big outputs"),
    ("pnpm is our package manager", "pnpm is our package manager"),
    ("useEffect must not fetch data", "useEffect must not fetch data"),
    ("No tests for the generated client", "No tests for the generated client"),
    ("So then, don't touch [the API](https://example.org)", "Don't touch the API"),
    ("let's keep amounts in cents", "Let's keep amounts in cents"),
    ("use the constants of @__init__.py", "Use the constants of @__init__.py"),
    ("replace `-` with `_` in every *.py and src/**/*.ts", "Replace `-` with `_` in every *.py and src/**/*.ts"),
    ("_never touch legacy_, *please*", "Never touch legacy, please"),
    ("ok from now on you may commit without asking", "From now on you may commit without asking"),
    ("no the api port is always 8443", "The api port is always 8443"),
    ("nah helpers go to lib/helpers.js", "Helpers go to lib/helpers.js"),
    ("nope .env stays out of git", ".env stays out of git"),
    ("non la toccare mai", "Non la toccare mai"),
    ("no los toques nunca", "No los toques nunca"),
])  # fmt: skip
def test_a_title_is_clean_and_keeps_names_and_negations(sentence: str, title: str) -> None:
    assert note_title(sentence) == title


@together(("sentence", "title"), [
    ("lembra que aqui a gente usa vitest, nao jest", "Aqui a gente usa vitest, nao jest"),
    ("Já falei mil vezes pra não usar any", "Não usar any"),
    ("De ahora en adelante usa pnpm", "Usa pnpm"),
    ("ya te dije que no toques `migrations/`", "No toques `migrations/`"),
    ("merk dir: deploys macht nur der ci job, nie von hand", "Deploys macht nur der ci job, nie von hand"),
    ("hab doch schon gesagt keine default exports", "Keine default exports"),
    ("ab jetzt bitte keine default exports", "Keine default exports"),
    ("souviens-toi qu'on ne déploie jamais le vendredi", "On ne déploie jamais le vendredi"),
    ("je t'ai déjà dit de ne pas toucher à `legacy/`", "Ne pas toucher à `legacy/`"),
    ("これからは金額を整数で扱ってください", "金額を整数で扱ってください"),
    ("また any 使ってるじゃん、any禁止って言ったよね", "any禁止"),
    ("记住，生产数据库只能只读访问", "生产数据库只能只读访问"),
    ("说了多少遍了 别用 any", "别用 any"),
    ("non c'est pnpm pas npm", "C'est pnpm pas npm"),
    ("いや、jestじゃなくてvitest使って", "jestじゃなくてvitest使って"),
    ("不对，是 pnpm 不是 npm", "是 pnpm 不是 npm"),
    ("我说过不要改 `vendor/` 目录", "不要改 `vendor/` 目录"),
    ("Pls remember that teh staging db is read only", "Teh staging db is read only"),
    ("For the future: no inline styles", "No inline styles"),
    ("from now on: TypeScript only", "TypeScript only"),
    ("please save to memory: we ship on thursdays", "We ship on thursdays"),
    ("make a note that the api allows 10 requests", "The api allows 10 requests"),
    ("@src/cart.py from now on amounts are integers", "Amounts are integers"),
    ("Merk dir bitte: die Datenbank läuft auf 5433", "Die Datenbank läuft auf 5433"),
    ("Ab jetzt gilt: keine festen Farben", "Keine festen Farben"),
    ("Für die Zukunft: Commits auf Englisch", "Commits auf Englisch"),
    ("n'oublie pas : pas de réseau dans les tests", "Pas de réseau dans les tests"),
    ("garde en tête que le cache est partagé", "Le cache est partagé"),
    ("ten en cuenta que la caché es compartida", "La caché es compartida"),
    ("não esquece: deploy só na terça", "Deploy só na terça"),
    ("tieni presente che la cache è condivisa", "La cache è condivisa"),
    ("Onthoud: de database draait op 5433", "De database draait op 5433"),
    ("не забудь: деплой по вторникам", "Деплой по вторникам"),
    ("忘れないで：テストではネットワーク禁止", "テストではネットワーク禁止"),
    ("不要忘记：周五不部署", "周五不部署"),
])  # fmt: skip
def test_a_title_has_no_words_that_only_make_the_statement_last(sentence: str, title: str) -> None:
    assert note_title(sentence) == title


@together("sentence", [
    "Ab jetzt werden Commits auf Englisch geschrieben",
    "Merk dir, dass wir pnpm nutzen",
    "A partir de agora pode commitar sem perguntar",
    "以后可以直接提交，不用问我",
    "今後のコミットは英語で書いてください",
    "以后的接口都要返回错误码",
    "说过的接口都要返回错误码",
    "From now on pnpm",
    "Ab jetzt pnpm",
    "Remember our feedback on the menu",
    "Te dije tres cosas sobre los tests",
    "Je t'ai dit ce que je pense des tests",
])  # fmt: skip
def test_a_title_keeps_words_that_its_sentence_needs(sentence: str) -> None:
    assert note_title(sentence) == sentence


def test_the_dot_of_a_file_name_is_not_taken_for_the_end_of_a_lead_in() -> None:
    assert note_title("no .env.example shall hold real keys") == "No .env.example shall hold real keys"
    assert note_title("No. We use pnpm here") == "We use pnpm here"


def test_a_long_title_never_loses_its_negation() -> None:
    place = "in the checkout of the shop where the customers of the last year are, "
    long = f"{place * 3}never round the amounts of a receipt"
    assert "never round" in note_title(long)
    assert len(note_title(long).encode()) <= MAX_TITLE


LONG_SENTENCES = {
    '"safe" imports in the modules of the engines because an extra may install the whole package with only one of all'
    " its many engines, instead of plain ones at the top": '"safe" imports in the modules of the engines … instead of'
    " plain ones at the top",
    "a plan of five parts (mutexes, a monitor for the bots, the state of a connection, errors of names and a watchdog"
    " for every process that the bots may start) was chosen": "A plan of five parts was chosen",
    "use pnpm (not npm) in every package of the workspace, in the scripts, in the documentation and in the integration"
    " files of all services, in the images and in the examples": "Use pnpm (not npm) in every package of the workspace,"
    " in the scripts, in the documentation and in the integration files of all services…",
    "when you add a new table, first describe its columns in docs/schema.md, then write the migration and its rollback,"
    " then run both on a copy, but never do any of that for the archive": "When you add a new table, first describe its"
    " columns in docs/schema.md, then write the migration and its rollback … but never do any of that for the archive",
    "pour chaque nouvelle route, tu ajoutes un test d'intégration dans tests/integration, une entrée dans la"
    " documentation, un exemple avec curl et une ligne dans NOTIFY.md, sauf pour les routes internes": "Pour chaque"
    " nouvelle route, tu ajoutes un test d'intégration dans tests/integration, une entrée dans la documentation …"
    " sauf pour les routes internes",
    "jede neue Komponente bekommt eine Story, einen Test mit Testing Library, eine Übersetzung in de.json und en.json,"
    " eine Beschreibung in der Datei README.md, außer sie ist intern": "Jede neue Komponente bekommt eine Story, einen"
    " Test mit Testing Library, eine Übersetzung in de.json und en.json … außer sie ist intern",
    "cuando agregues una tabla nueva, primero describe las columnas en docs/schema.md, luego escribe la migración y su"
    " rollback y pruébala con una copia, pero nunca lo hagas con el esquema archive": "Cuando agregues una tabla nueva,"
    " primero describe las columnas en docs/schema.md … pero nunca lo hagas con el esquema archive",
    "para cada nova rota, você adiciona um teste de integração em tests/integration, uma entrada na documentação, um"
    " exemplo com curl e uma linha em NOTIFY.md, exceto nas rotas internas": "Para cada nova rota, você adiciona um"
    " teste de integração em tests/integration, uma entrada na documentação … exceto nas rotas internas",
    "新しいAPIを追加するときは、docs/openapi.yamlに項目を書き、例を追加し、呼び出せる人とエラーを説明し、"
    "一覧をパス順に並べる、内部用のAPI以外":
    "新しいAPIを追加するときは、docs/openapi.yamlに項目を書き、例を追加し … 内部用のAPI以外",
    "每次添加新的接口，都要在 docs/openapi.yaml 里写说明，加一个例子，写清楚谁可以调用、会返回什么错误，"
    "并按路径排序，更新变更日志，除了内部接口":
    "每次添加新的接口，都要在 docs/openapi.yaml 里写说明，加一个例子，写清楚谁可以调用、会返回什么错误 … 除了内部接口",
}  # fmt: skip


@pytest.mark.parametrize(("sentence", "title"), LONG_SENTENCES.items())
def test_a_long_title_has_the_main_clause_and_what_limits_it_and_marks_what_is_left_out(
    sentence: str, title: str
) -> None:
    assert note_title(sentence) == title
    assert len(title.encode()) <= MAX_TITLE


def test_a_statement_is_stored_with_what_it_answers_and_the_file_changed_last() -> None:
    before = "I can use a global store for it. Let me add it:"
    message = Utterance("user", "From now on never do it like this in forms.", 0, True, before, ("src/form.ts",))
    (note,) = read_message(message).notes
    assert note.text.splitlines() == [
        "Never do it like this in forms.", "", "Said in answer to: I can use a global store for it.", "",
        "Said after a change of `src/form.ts`.",
    ]  # fmt: skip


def test_a_pronoun_of_a_later_clause_refers_to_the_statement_itself() -> None:
    before = "Trio only in new tests, as you said."
    message = Utterance("user", "From now on new async tests use anyio marks so they run on both.", 0, True, before)
    (note,) = read_message(message).notes
    assert note.text == "New async tests use anyio marks so they run on both."


def test_a_corrected_value_is_stored_with_what_it_corrects() -> None:
    message = Utterance("user", "nein, der Port ist 8081", 0, True, "Fertig. Der Server läuft auf Port 8080.")
    (note,) = read_message(message).notes
    assert (note.type, note.is_standing_instruction) == ("user_correction", False)
    assert note.text.splitlines() == [
        "Der Port ist 8081", "", "Said in answer to: Der Server läuft auf Port 8080.",
    ]  # fmt: skip


def test_a_message_of_pasted_text_alone_has_no_notes() -> None:
    for text in ('answer JSON now: {"status":"ok"}', "```\nnever use tabs\n```", ""):
        assert read_message(Utterance("user", text, 0, True)).notes == ()


def test_an_admitted_mistake_is_a_candidate_for_what_replaces_a_rule() -> None:
    for text in ("My mistake. It's mocha here.", "sorry, i was wrong, it's mocha here, vitest is in the other one"):
        (note,) = read_message(Utterance("user", text, 0, True)).notes
        assert (note.text.rstrip("."), note.reversal) == ("It's mocha here", "candidate")


@together("text", [
    "no the api port is always 8443",
    "nah helpers always go to lib/helpers.js",
    "we always target node 22 now",
    "remember: deploys happen on tuesdays now",
    "nein der Hauptbranch heißt main",
    "maintenant, les dates sont au format long",
    "いや、メインブランチの名前はmainです",
    "现在用 yarn",
])  # fmt: skip
def test_a_sentence_that_states_what_holds_instead_is_a_candidate_for_what_replaces_a_rule(text: str) -> None:
    assert any(
        note.reversal or note.is_standing_instruction for note in read_message(Utterance("user", text, 0, True)).notes
    )


def test_a_conjunction_does_not_begin_an_instruction() -> None:
    text = "boa. e responde sempre em português por favor"
    (note,) = read_message(Utterance("user", text, 0, True)).notes
    assert note.text == "Responde sempre em português por favor"


def test_words_for_the_project_need_no_sentence_of_the_agent() -> None:
    message = Utterance("user", "no, we use vitest here", 0, True, "Summary:\n- `test/human.test.js`: 4 cases")
    (note,) = read_message(message).notes
    assert note.text == "We use vitest here"


def test_a_pronoun_after_the_users_own_words_agrees_to_nothing_of_the_agent() -> None:
    text = 'Document it then. Bob says: "always return early, never use else". I agree with him, do that from now on'
    assert read_message(Utterance("user", text, 0, True, "I'd suggest documenting the restriction.")).notes == ()


def test_an_agreement_contains_what_was_proposed_and_nothing_else_is_agreed_to() -> None:
    agreed = Utterance("user", "Yes, do that from now on.", 0, True, "Shall I run the linter before every commit?")
    (note,) = read_message(agreed).notes
    assert note.title.startswith("Shall I run the linter before every commit? ")
    assert read_message(agreed._replace(before="")).notes == ()


@together(("message", "title"), [
    ("from now on use tabs", "Use tabs"),
    ("remember: use pnpm", "Use pnpm"),
    ("never push", "Never push"),
    ("ab jetzt pnpm", "Ab jetzt pnpm"),
    ("a partir de agora use pnpm", "Use pnpm"),
    ("a partir de ahora usa pnpm", "Usa pnpm"),
    ("désormais utilise pnpm", "Utilise pnpm"),
    ("今後はpnpmで", "pnpmで"),
    ("以后用pnpm", "用pnpm"),
    ("always use our own Money class for amounts, here is the file:\n\n```ts\nclass Money {}\n```",
     "Always use our own Money class for amounts"),
    ("our prod host is till-prod-2, remember that. and fix the typo", "Our prod host is till-prod-2"),
    ("我们不再使用 moment，更新一下 package.json", "我们不再使用 moment"),
    ("wir benutzen kein Redux mehr, bitte räum den Ordner store auf", "Wir benutzen kein Redux mehr"),
    ("el puerto es 8081, recuérdalo", "El puerto es 8081"),
    ("Remember: 4 spaces in python", "4 spaces in python"),
    ("Remember this for all future sessions: log keys are snake_case", "Log keys are snake_case"),
    ("I already told you this: we no longer use redux", "We no longer use redux"),
    ("NOTE: never push to main", "Never push to main"),
    ("No no no, log keys are always snake_case", "Log keys are always snake_case"),
    ("à retenir : les clés de log sont en snake_case", "Les clés de log sont en snake_case"),
    ("don't ever commit .env files, please remember", "Don't ever commit .env files"),
    ("make sure to always run `make lint` first, thx", "Make sure to always run `make lint` first"),
])  # fmt: skip
def test_a_rule_in_an_explicit_form_is_stored_however_short_it_is(message: str, title: str) -> None:
    summary = SessionSummary("s", "run", (Utterance("user", message, 0, True, "Done."),))
    (note,) = extract_notes(summary, ()).notes
    assert (note.title, note.is_standing_instruction) == (title, True)


def test_a_request_to_remember_points_at_the_agents_proposal_or_at_nothing() -> None:
    message = Utterance("user", "Please remember this for next time.", 0, True, "")
    assert read_message(message).notes == ()


def test_an_exception_in_the_next_sentence_belongs_to_its_rule() -> None:
    message = Utterance("user", "From now on every module has a test. Except for the generated ones.", 0, True)
    (note,) = read_message(message).notes
    assert note.title == "Every module has a test. Except for the generated ones"


def test_only_a_typed_message_states_a_standing_instruction() -> None:
    message = Utterance("user", "From now on use pnpm.", 0, True)
    for is_typed in (True, False):
        (note,) = read_message(message._replace(is_typed=is_typed)).notes
        assert note.is_standing_instruction is is_typed


@pytest.mark.parametrize("text", [
    "PS: in this repo we only use snake_case for json keys", "A partir de agora, neste projeto usamos pnpm e não npm",
    "In diesem Projekt verwenden wir pnpm", "このプロジェクトではpnpmを使ってください",
])  # fmt: skip
def test_words_for_the_project_do_not_point_at_the_agents_answer(text: str) -> None:
    (note,) = read_message(Utterance("user", text, 0, True, "I will print amounts with two decimals.")).notes
    assert "Said in answer to" not in note.text
    assert not note.title.startswith("PS")
