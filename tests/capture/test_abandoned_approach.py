"""Recognition of abandoned approaches, measured on a labelled corpus."""

from functools import partial
from pathlib import Path

from sidecar.language.conclusions import points_at_work
from sidecar.language.work_taken_back import (
    RemovedWork,
    abandoned_approaches,
    removed_work,
    reversal_in,
)
from tests.support.cases import together
from tests.support.growth import takes_linear_time

SENTENCES = Path(__file__).parent / "sentences"


def lines(name: str) -> list[str]:
    text = (SENTENCES / name).read_text(encoding="utf-8")
    return [line.replace("\\n", "\n") for line in text.splitlines() if line and not line.startswith("# ")]


ABANDONED, NOT_ABANDONED = lines("abandoned.txt"), lines("not_abandoned.txt")


def test_the_corpus_is_large_enough_without_duplicates() -> None:
    assert len(set(ABANDONED)) == len(ABANDONED) >= 40
    assert len(set(NOT_ABANDONED)) == len(NOT_ABANDONED) >= 80


@together("text", ABANDONED)
def test_an_abandoned_approach_is_recognised(text: str) -> None:
    assert list(abandoned_approaches(text))


@together("text", NOT_ABANDONED)
def test_other_sentences_are_not_abandoned_approaches(text: str) -> None:
    assert list(abandoned_approaches(text)) == []


@together(("text", "tried"), (
    ("I tried numpy for the slots first. It did not work: importing takes 200 ms.", "numpy for the slots"),
    ("I first tried numpy but gave up on numpy because importing takes 200 ms.", "numpy"),
    ("I tried the new cache. It works well.", ""),
    ("I tried to log in. It failed with 401.", ""),
))  # fmt: skip
def test_an_attempt_and_its_failure_may_be_two_statements(text: str, tried: str) -> None:
    assert [approach.tried for approach in abandoned_approaches(text)] == [tried] * bool(tried)


@together(("adverbs", "count"), [(text, count) for text in ("entirely\t", "finally so ") for count in (15, 500)])
def test_consecutive_adverbs_take_linear_time(adverbs: str, count: int) -> None:
    assert takes_linear_time(lambda repeats: partial(abandonments, adverbs * repeats), count)


def abandonments(text: str) -> None:
    assert list(abandoned_approaches(text)) == []


UNDO = (
    "Undo that.", "Let's revert that change and try again.", "Desfaz isso, por favor.", "reverti este ultimo cambio",
    "Annule ce changement.", "Mach das bitte rückgängig.", "Torna indietro alla versione di prima.",
    "isso não funciona, volta pro cache em memória",
    "volta pra versão anterior", "Draai dat terug.", "Откати это изменение.", "元に戻してください。",
    "撤销刚才的修改。", "I reverted that.", "Lo he revertido, redondea mal.", "No, it is ugly. Let's scratch that.",
)  # fmt: skip
NO_UNDO = (
    "Add an undo button to the cart.", "Undo itself works fine.", "How do I revert a commit?", "Go on.",
    "Fix it or we are reverting our codebase.", "Al cerrar y volver a abrir solo carga la lista.",
    "```\nrevert that\n```",
)  # fmt: skip


@together("text", UNDO)
def test_a_user_who_takes_work_back_is_understood(text: str) -> None:
    reversal = reversal_in(text)
    assert reversal is not None
    assert reversal.kind == "undo"


@together("text", NO_UNDO)
def test_features_threats_and_questions_take_nothing_back(text: str) -> None:
    reversal = reversal_in(text)
    assert reversal is None or reversal.kind != "undo"


REMOVED = {
    "Removed the model option for both hosts.": RemovedWork("the model option for both hosts"),
    "I replaced the options page with a recorder.": RemovedWork("the options page", "a recorder"),
    "I've updated all test projects to use MSTest instead of xUnit.": RemovedWork("xUnit", "MSTest"),
    "The build is green and the old power cells are gone from the pool.": RemovedWork("the old power cells"),
    "Switched the routing from `primary` to `enabled`.": RemovedWork("`primary`", "`enabled`"),
    'Eliminada la columna "Type": ya no se muestra': RemovedWork('la columna "Type"'),
    "Substituí o cache por uma soma.": RemovedWork("o cache", "uma soma"),
    "J'ai remplacé le cache par une somme.": RemovedWork("le cache", "une somme"),
    "Ich habe den Cache durch eine Summe ersetzt.": RemovedWork("den Cache", "eine Summe"),
    "Ho rimosso la cache.": RemovedWork("la cache"),
    "Ik heb de cache verwijderd.": RemovedWork("de cache"),
    "Я заменил кэш на сумму.": RemovedWork("кэш", "сумму"),
    "キャッシュを合計に置き換えました。": RemovedWork("キャッシュ", "合計"),
    "删除了购物车的缓存。": RemovedWork("购物车的缓存"),
    "std::deque and its lock are gone": RemovedWork("std::deque and its lock"),
    "The in-memory map is replaced by the table `orders`.": RemovedWork("The in-memory map", "the table `orders`"),
    "Sidekiq is out again": RemovedWork("Sidekiq"),
    "The socket server has been removed": RemovedWork("The socket server"),
    "I threw out the file approach": RemovedWork("the file approach"),
    "Took the tax helpers out.": RemovedWork("the tax helpers"),
    "I replaced the loop with a breaker because clients that retry are banned.": RemovedWork(
        "the loop", "a breaker", "clients that retry are banned"
    ),
    "Removed the cache since totals were stale, and they now come from a sum.": RemovedWork(
        "the cache", "they now come from a sum", "totals were stale"
    ),
    "I dropped the cache because totals were stale; `total` adds them up now.": RemovedWork(
        "the cache", "`total` adds them up now", "totals were stale"
    ),
    "I removed the loop and put a breaker in its place, since it blocked.": RemovedWork(
        "the loop", "a breaker", "it blocked"
    ),
    "I stashed the async lookup because the client blocks.": RemovedWork(
        "the async lookup", reason="the client blocks"
    ),
    "The retry loop did not work because the provider bans us.": RemovedWork(
        "The retry loop", reason="the provider bans us", is_certain=False
    ),
    "Iconos en lugar del texto largo": RemovedWork("texto largo", "Iconos"),
    "移除掉购物车的缓存": RemovedWork("购物车的缓存"),
    "❌ `cart.ts` removed": RemovedWork("`cart.ts`"),
    "Our sleeping retry turned out to block the loop, so `fetch` uses a breaker now.": RemovedWork(
        "Our sleeping retry", "`fetch` uses a breaker now", "turned out to block the loop", is_certain=False
    ),
    "Ich habe den Regex-Ansatz verworfen, weil er scheitert.": RemovedWork("den Regex-Ansatz", reason="er scheitert"),
    "Abandoné el enfoque con regex porque falla.": RemovedWork("el enfoque con regex", reason="falla"),
    "Reemplacé el bucle por un interruptor porque nos bloquean.": RemovedWork(
        "el bucle", "un interruptor", "nos bloquean"
    ),
    "Abandonei o cache porque falha.": RemovedWork("o cache", reason="falha"),
    "J’ai abandonné les regex parce qu’elles échouent.": RemovedWork("les regex", reason="elles échouent"),
    "Ho scartato la cache perché era vecchia.": RemovedWork("la cache", reason="era vecchia"),
    "Ik heb de cache opgegeven, omdat hij traag was.": RemovedWork("de cache", reason="hij traag was"),
    "Я отказался от кэша, потому что он устаревает.": RemovedWork("кэша", reason="он устаревает"),
    "正規表現の方法は入れ子の括弧で失敗したため、やめました。": RemovedWork(
        "正規表現の方法", reason="入れ子の括弧で失敗した"
    ),
    "再試行はループを止めるため、遮断器に置き換えました。": RemovedWork("再試行", "遮断器", "ループを止める"),
    "放弃了正则方案，因为嵌套会失败。": RemovedWork("正则方案", reason="嵌套会失败"),
    "I ripped the old queue out again, since it blocked.": RemovedWork("the old queue", reason="it blocked"),
    "cobra retiré": RemovedWork("cobra"),
    "Le fichier est remplacé par une table.": RemovedWork("Le fichier", "une table"),
    "Redux afuera.": RemovedWork("Redux"),
    "axios não é mais importado.": RemovedWork("axios"),
    "Der Cache ist wieder raus.": RemovedWork("Der Cache"),
    "全并发版本已删除。": RemovedWork("全并发"),
    "victory-native를 제거하고": RemovedWork("victory-native"),
    "Redis wurde entfernt.": RemovedWork("Redis"),
    "Redis wurde heute komplett aus dem Warenkorb entfernt.": RemovedWork("Redis"),
    "Der Cache wurde durch eine Summe ersetzt.": RemovedWork("Der Cache", "eine Summe"),
    "把缓存换成了总和。": RemovedWork("缓存", "总和"),
    "Redis has now been removed.": RemovedWork("Redis"),
    "The lock that could deadlock was removed.": RemovedWork("The lock that could deadlock"),
    "No longer needed caches were removed.": RemovedWork("No longer needed caches"),
    "The no-op wrapper was removed.": RemovedWork("The no-op wrapper"),
    "The error handler is gone.": RemovedWork("The error handler"),
    "Removed the check that did not work.": RemovedWork("the check that did not work"),
    "Removed cache helpers nothing was using.": RemovedWork("cache helpers nothing was using"),
    "Redis is gone: shall I drop the lock too?": RemovedWork("Redis"),
    "Replaced unsupported `api.timeout(...)` with a timer in:": RemovedWork(
        "unsupported `api.timeout(...)`", "a timer in"
    ),
    "J'ai converti le hook d'un état local vers un store global.": RemovedWork("état local", "un store global"),
    "Cambié el almacén de JSON a SQLite.": RemovedWork("JSON", "SQLite"),
    "Mudei o estado de Redux para Zustand.": RemovedWork("Redux", "Zustand"),
    "Ho cambiato lo stato da Redux a Zustand.": RemovedWork("Redux", "Zustand"),
    "Wir haben das Backend von Express auf Fastify umgestellt.": RemovedWork("Express", "Fastify"),
    "Ik heb de opslag van JSON naar SQLite omgezet.": RemovedWork("JSON", "SQLite"),
    "Мы перешли с Redux на Zustand.": RemovedWork("Redux", "Zustand"),
    "状態管理をReduxからZustandに変更しました。": RemovedWork("Redux", "Zustand"),
    "我把状态管理从Redux改为Zustand。": RemovedWork("Redux", "Zustand"),
    "Supprimant les middlewares": RemovedWork("les middlewares"),
    "Eliminamos la validación manual.": RemovedWork("la validación manual"),
    "The queue uses a heap instead of the sorted list.": RemovedWork("the sorted list", "The queue uses a heap"),
    "La cola usa un montículo en vez de la lista ordenada.": RemovedWork(
        "la lista ordenada", "La cola usa un montículo"
    ),
}


@together("text", REMOVED)
def test_what_an_agent_took_out_is_named(text: str) -> None:
    assert removed_work(text) == REMOVED[text]


@together("text", (
    "Added a cache to the cart.", "Moved the files to `scripts`.", "The cache is removed when full.",
    "The lists are out of date", "All of it is now in one place", "The tests run out",
))  # fmt: skip
def test_other_work_takes_nothing_out(text: str) -> None:
    assert removed_work(text) is None


NOT_REMOVED = (
    "Removed the debug print statements.", "Quité los mensajes de depuración.",
    "Sorts by the average since the games column was removed.",
    "Using `console.warn` instead of `console.log` made the issue visible.",
    "Redis was not removed.", "Redis wurde nicht entfernt.", "Nothing in Redis was removed.",
    "No lines were removed.", "If Redis is removed later, totals stay right.", "Was Redis removed? …",
    "Could the cache be removed?", "The cache should be removed.",
    "Users whose Redis keys were deleted get new ones.", "Deleted rows are removed by the nightly job.",
    "The stale Redis bug is gone.", "Version 2 is out, enjoy.", "Redis wasn't removed.",
    "None of the caches was removed.", "Removed nothing.", "Removed no lines from the cart.", "Files removed: none",
    "Totals stay right if Redis is removed.", "The build fails when Redis is removed.",
    "With Redis removed, totals stay right.", "Once removed, the keys never return.", "Consider Redis removed.",
    "Redis is to be removed.", "Redis will be removed.", "Redis has never been removed.",
    "Rows are automatically removed.", "Expired keys are deleted every night.", "The crash on start is gone.",
    "The memory leak was removed.", "Removed the deadlock.", "Der Fehler im Cache ist weg.",
    "Keine Zeilen wurden entfernt.", "Ich habe Redis noch nicht entfernt.", "Ich habe nichts entfernt.",
    "Alte Zeilen werden nachts entfernt.", "Wenn Redis entfernt wurde, bleiben die Summen richtig.",
    "Der Cache wurde nicht durch eine Summe ersetzt.", "Aucune ligne n'a été supprimée.",
    "Le cache n'est pas supprimé.", "Si le cache est supprimé, les totaux restent justes.",
    "Redis no ha sido eliminado.", "El caché no fue eliminado.", "Ninguna línea eliminada.",
    "Si la caché fue eliminada, hay que avisar.", "O cache não foi removido.", "Nenhuma linha removida.",
    "Se o cache foi removido, avise.", "La cache non è stata rimossa.", "Nessuna riga rimossa.",
    "De cache is niet verwijderd.", "Geen regels verwijderd.", "Кэш не удалён.", "Ничего не удалено.",
    "Если кэш удалён, всё работает.", "キャッシュを削除していません。", "キャッシュを削除すると遅くなります。",
    "キャッシュを削除しますか？",
    "如果缓存已删除，请告诉我。",
    "删除缓存会导致错误。", "没有把缓存换成总和。", "The release is out.", "Node 22 is out!", "I nearly removed Redis.",
    "Rows that were deleted get new keys.", "What was removed is listed below.", "Nothing was replaced by a sum.",
    "If the cache is replaced by a sum, totals stay right.", "Whether Redis was removed is open.",
    "Removed if unused.", "Deleted on logout.", "Dropped connections are retried.",
    "Neither the cache nor the lock was removed.", "Not removed.", "Has the cache been removed?",
    "Is the socket server gone?", "If the retry loop failed, we would log it.",
    "The login test failed because of a fixture.", "The cache might have failed.", "The build broke.",
    "Reviso si puedo eliminar la función `total` que ya no se usa:",
    "Removed any previous or duplicate controls", "Eliminada la función `total` que ya no se necesitaba",
    "Removed the helper that was no longer used.", "已删除 `cart.ts` 中重复的声明并改为引用统一类型",
    "移除掉这个未使用的导入",
    "Doublons supprimés", "Удалены дублирующие типы.", "重複した型を削除しました。",
)  # fmt: skip
"""Denials, questions, suppositions, plans, habits, mended faults, publications and what had no use."""


ANNOUNCED = {
    "I'll remove the Divide methods and use an attribute instead.": "the Divide methods",
    "Let me remove the old table because it duplicates the units.": "the old table",
    "Removing the socket server now": "the socket server now",
    "Ahora voy a eliminar la función `total`:": "la función `total`",
    "Agora removo o cache:": "o cache",
    "Je vais supprimer le cache.": "le cache",
    "Jetzt entferne ich den Cache.": "den Cache",
    "Ora rimuovo la cache.": "la cache",
    "Ik verwijder de cache.": "de cache",
    "Теперь удаляю кэш.": "кэш",
    "我将删除缓存": "缓存",
}


@together("text", ANNOUNCED)
def test_what_an_agent_takes_out_at_once_is_named_without_a_replacement(text: str) -> None:
    removed = removed_work(text)
    assert removed is not None
    assert (removed.what, removed.instead) == (ANNOUNCED[text], "")


@together("text", (
    "Let me remove the cache if it is slow.", "I'll check whether to remove the cache.",
    "I'll remove the unused imports.", "Ahora elimino la función `total` que ya no se usa:",
    "Let me know which cache to remove.", "Should I remove the cache?",
))  # fmt: skip
def test_a_removal_under_a_condition_takes_nothing_out(text: str) -> None:
    assert removed_work(text) is None


@together("text", NOT_REMOVED)
def test_words_without_a_removal_take_nothing_out(text: str) -> None:
    assert removed_work(text) is None


SLOW_BEGINNINGS = ("I replaced ", "Ich habe den Cache ", "Removed ", "The cache ", "I switched from ", "把")
SLOW_FILLERS = (" ", " \t", "a ", "durch ", "is ", "to ", "with ", "word's ", "§", "在")


@together(("beginning", "filler"), [(text, filler) for text in SLOW_BEGINNINGS for filler in SLOW_FILLERS])
def test_a_sentence_of_any_length_is_read_in_little_time(beginning: str, filler: str) -> None:
    assert takes_linear_time(lambda repeats: partial(removed_work, beginning + filler * repeats), 2_000)


def test_white_space_within_a_sentence_is_collapsed() -> None:
    assert removed_work("I replaced   the map\twith\n a table.") == RemovedWork("the map", "a table")


POINTING = (
    "remove", "Yes, delete please.",
    "klappt nicht, nimm das wieder raus.", "take that out again", "remove it, please", "quita eso, no sirve",
    "enlève-la", "tira isso daí", "gooi dat weg", "убери это", "それを消して", "删掉吧",
)  # fmt: skip
NAMING = (
    "nimm das alte Caching raus", "remove the cache", "take that cache out", "quita eso del menú",
    "drop it all into one table", "enlève la barre", "tira isso do cabeçalho da página",
    "删除缓存", "キャッシュを消して",
)  # fmt: skip


@together("text", POINTING)
def test_a_pronoun_names_no_work(text: str) -> None:
    assert points_at_work(text)


@together("text", NAMING)
def test_a_noun_names_the_work(text: str) -> None:
    assert not points_at_work(text)


TAKEN_OUT = (
    "schmeiß den Cache raus", "schmeiss redis wieder raus", "bau den Cache wieder aus", "bau das wieder aus",
    "mach redis wieder weg", "den Cache bitte rauswerfen", "haal de cache eruit", "haal redis er weer uit",
    "gooi de cache er weer uit", "kick redis out", "kick the cache out again", "rip redis out", "butta via la cache",
    "leva la cache", "dégage le cache", "jette le cache", "joga fora o cache", "bota fora o cache", "выпили redis",
    "キャッシュを取り除いて", "把缓存拿掉",
)  # fmt: skip
OTHER_SENSES = (
    "wirf einen Blick auf den Cache", "wirf eine Exception", "schmeiß den Server an", "schmeiß die Tests an",
    "bau den Cache aus und mach ihn schneller", "bau die Suche weiter aus", "bau mir einen Cache",
    "mach das Fenster auf",
    "tu mir einen Gefallen", "haal de data op", "haal de nieuwste versie op", "haal de data eruit en toon ze",
    "haal de prijs uit de database", "gooi een exception", "kick off the build", "kick the tires on the new cache",
    "toss a coin in the test", "jette un œil au cache", "jette une exception", "butta un occhio al codice",
    "tira una excepción", "tira una foto", "saca una captura", "joga os dados no banco",
    "usa pure sqlite per i test", "invece il test fallisce", "Balance numbers live in `balance.csv`",
    "samedi apparaît à la place de dimanche", "coloquei a vírgula no lugar do ponto",
)  # fmt: skip
INSTEAD = (
    "Usa invece sqlite", "usa sqlite invece", "Usa sqlite al posto di postgres", "utilise plutôt sqlite",
    "usa sqlite en su lugar", "mejor usa sqlite", "nimm sqlite statt postgres", "gebruik in plaats daarvan sqlite",
    "лучше используй sqlite", "use sqlite instead",
)  # fmt: skip


@together(
    ("text", "removed"),
    [
        (
            "割引後に合計が古くなるため、キャッシュを削除しました。",
            RemovedWork("キャッシュ", "", "割引後に合計が古くなる"),
        ),
        ("Ho tolto la cache perché i totali erano vecchi.", RemovedWork("la cache", "", "i totali erano vecchi")),
        ("Ho buttato via la cache perché era vecchia.", RemovedWork("la cache", "", "era vecchia")),
    ],
)
def test_a_reason_before_or_behind_the_removed_work_is_read(text: str, removed: RemovedWork) -> None:
    assert removed_work(text) == removed


@together("text", ("Eu reverti isso, os totais estavam errados.", "Lo revertí, los totales estaban mal.",
                   "Yo lo deshice, estaba mal."))  # fmt: skip
def test_a_user_who_states_to_have_reverted_the_work_is_understood(text: str) -> None:
    reversal = reversal_in(text)
    assert reversal is not None
    assert reversal.kind == "undo"


@together("text", TAKEN_OUT)
def test_an_order_to_take_work_out_is_understood_in_ten_languages(text: str) -> None:
    reversal = reversal_in(text)
    assert reversal is not None
    assert reversal.kind == "drop"


@together("text", OTHER_SENSES)
def test_the_same_verbs_in_another_sense_take_no_work_back(text: str) -> None:
    assert reversal_in(text) is None


@together("text", INSTEAD)
def test_an_order_to_use_something_else_is_a_replacement(text: str) -> None:
    reversal = reversal_in(text)
    assert reversal is not None
    assert reversal.kind == "replacement"


@together("text", ("Remove the cache, the totals are stale.", "Kick the tax out, it counts old receipts.",
                   "Nimm die Steuer raus, das Log ist voll davon."))  # fmt: skip
def test_what_follows_an_order_makes_no_cleanup_of_it(text: str) -> None:
    reversal = reversal_in(text)
    assert reversal is not None
    assert reversal.kind == "drop"


UNNEEDED = (
    "People use the mouse, so we dont need to show the map below.",
    "In the examples use our own components, not HTML ones.", "It doesn't need this extra box.",
    "The bar should only contain the logo.", "Je veux que la barre ne comporte que le logo.",
    "No hace falta la segunda tabla.", "Não precisa da segunda tabela.", "Die zweite Tabelle brauchen wir nicht.",
    "Non serve la seconda tabella.", "De tweede tabel is niet nodig.", "Вторая таблица не нужна.",
    "2つ目の表は必要ありません。", "现在完全不需要分组策略相关的内容。",
)  # fmt: skip
STILL_NEEDED = (
    "Fix the error that the list opens instead of the cart", "请修复启动后进入主页面而不是登录页的错误",
    "如果类型不能识别，这是环境的问题，而不是代码的问题。",
    "No need to run the tests again.", "We don't need to run the tests.",
    "I don't need to deploy it today.", "It just works now.",
    "Delete any files or code we're not using.",
    "不需要更多的调试日志。", "We don't need the debug logs of the cart.", "Do we need the second table?",
)  # fmt: skip


@together("text", UNNEEDED)
def test_a_user_who_needs_a_part_of_the_work_no_longer_is_understood(text: str) -> None:
    reversal = reversal_in(text)
    assert reversal is not None
    assert reversal.kind == "replacement"


@together("text", STILL_NEEDED)
def test_what_is_not_to_be_done_takes_no_work_back(text: str) -> None:
    assert reversal_in(text) is None


@together(("text", "is_conditional"), [
    ("Remove the cache if nobody reads it", True), ("If nobody reads it, drop the cache.", True),
    ("Remove the cache. Tell me if it was slow.", False),
])  # fmt: skip
def test_an_order_to_remove_something_may_have_a_condition(text: str, is_conditional: bool) -> None:
    reversal = reversal_in(text)
    assert reversal is not None
    assert (reversal.kind, reversal.is_conditional) == ("drop", is_conditional)


BY_HAND = {
    "I removed the tax helper myself, the accountant does it.": " the tax helper myself",
    "I threw it away, it rounds wrong": " it away",
    "I did a git checkout on invoice.py, it rounds wrong": " on invoice.py",
    "Ich habe die Steuer wieder gelöscht, sie rundet falsch.": "die Steuer wieder",
    "La he borrado, redondea mal.": "",
    "J'ai supprimé la taxe, elle arrondit mal.": " la taxe",
    "Removi a taxa.": " a taxa",
    "L'ho tolto, arrotonda male.": "",
    "Ik heb de btw verwijderd, die klopt niet.": "de btw",
    "Я удалил налог, он округляет неверно.": " налог",
    "税を削除しました。丸めが違います。": "税",
    "我把税删了，算错了。": "税",
}


@together("text", BY_HAND)
def test_what_the_user_took_out_by_hand_is_understood(text: str) -> None:
    reversal = reversal_in(text)
    assert reversal is not None
    assert reversal.kind != "undo"
    assert reversal.by_hand == BY_HAND[text]


@together("text", ("I took the kids to school.", "Should I have removed it?", "He removed it.", "I want it removed."))
def test_other_statements_took_nothing_out_by_hand(text: str) -> None:
    reversal = reversal_in(text)
    assert reversal is None or reversal.by_hand is None


def test_a_feature_of_another_clause_is_not_what_an_order_is_about() -> None:
    reversal = reversal_in("The sorting feature is gone since the last change, can you bring that back?")
    assert reversal is not None
    assert reversal.kind == "undo"
    assert reversal_in("Add a history, a shortcut and an undo button") is None


def test_a_request_to_bring_work_back_is_an_undo() -> None:
    reversal = reversal_in("The drag and drop of the rows is gone, can you bring that back?")
    assert reversal is not None
    assert reversal.kind == "undo"


CONTENT = (
    "Take this and fill it out", "please take notes out loud", "take care, don't rush out", "drop me a note",
    "no that's fine, thanks", "nope all good", "Nein danke, passt so.", "No, it's fine", "no idea", "No sé",
    "stop the server", "No. It's fine, thanks.", "no, that looks good", "no gracias, está bien", "non merci",
    "não sei", "non lo so", "不要紧", "别担心", "нет, спасибо", "いや、大丈夫です", "please throw out some ideas",
    "drop a comment in the thread", "No lo sé", "no rush", "stop the dev server", "keine Ahnung",
    "nee, prima zo", "take the time to figure it out", "i take whatever and try it out",
)  # fmt: skip
REFUSING = (
    "no, that's not what I want", "take the cache out again", "drop the retry, it is too slow",
    "take all of that out", "no, use a sum", "nope, wrong file", "stop", "stop caching the totals",
    "no thanks, that's not what I meant", "Nein, nicht so", "No, so ist es falsch.", "不要缓存", "别这样",
    "no running sum, a total per line", "no, it's too slow", "drop it", "throw out the cache",
    "take that cache out", "nah. i give up on this", "No, that's wrong.", "non, pas comme ça", "No me gusta",
    "stop, undo that", "That is overkill. A cron job is enough.", "Das ist übertrieben, nimm cron.", "C'est exagéré.",
    "それは大げさです。",
)  # fmt: skip


@together("text", CONTENT)
def test_a_user_who_is_content_takes_no_work_back(text: str) -> None:
    assert reversal_in(text) is None


@together("text", REFUSING)
def test_a_user_who_refuses_or_removes_work_is_understood(text: str) -> None:
    assert reversal_in(text) is not None


REPORTS = (
    "I get an unhelpful error instead of a list of users", "I only see the id instead of the name",
    "When I save, I am getting 30 instead of 300",
)  # fmt: skip


@together("text", REPORTS)
def test_a_report_of_what_happens_instead_takes_no_work_back(text: str) -> None:
    assert reversal_in(text) is None
