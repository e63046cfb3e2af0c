"""Wishes in ordinary words last without "always": habits, bans, conventions, preferences; a single task does not."""

from functools import partial

import pytest

from sidecar.language.lasting_statements import read_statements
from tests.support.cases import together
from tests.support.growth import takes_linear_time

STANDING = {
    "complaints with the norm that was broken": """
again with the lodash import?! we've been through this, native array methods only
how many times... config values come from `settings.py`, not from os.environ directly
have you read AGENTS.md at all? API handlers never talk to the db directly
schon wieder Tabs! Wir rücken mit zwei Leerzeichen ein
zum dritten Mal: keine relativen Imports
снова без тестов, мы же договорились писать тесты
I said no new dependencies. This is the second lib you've pulled in.
ich hab dir doch gesagt, dass wir hier pnpm verwenden
¿otra vez axios? aquí usamos fetch y punto
eu já pedi pra não usar any
je t'ai déjà demandé de ne pas toucher à la config webpack
te l'ho già detto, niente any
alweer npm? we gebruiken hier pnpm
また any を使ってる。型は必ず書くって言ったよね
跟你说过不要改 package-lock.json
ja falei pra nao colocar comentario obvio no codigo
já falei mil vezes pra não usar any
te dije q nada de any en ts
hab doch schon gesagt keine default exports
hab ich doch gesagt: nur named exports
je t'avais dit pas de console.log
都说了别用 any
non c'est pnpm pas npm
nein es ist pnpm nicht npm
いや、jestじゃなくてvitest使って
npmではなくpnpmでお願い
不是 npm，是 pnpm
不对，是 pnpm 不是 npm
不是说了不要改 package.json
""",
    "habits": """
whenever you add an env var, put it in .env.example as well
before committing run the type checker
if you add a column, add the index in the same migration
When you're blocked, say so immediately instead of trying ten things
when you can't reproduce something, tell me instead of guessing
whenever a dependency is bumped, run the smoke tests as well
run prettier before you hand anything over
quando tiver dúvida, pergunta
ogni volta che aggiungi una rotta aggiorna la documentazione
迷ったら聞いてください
wenn du dir unsicher bist, frag lieber nach
cada vez que cambies el modelo, actualiza también el serializador
quando criar um componente, cria o story dele também
dès que tu modifies l'API, mets à jour le fichier openapi
se hai dubbi chiedi
telkens als je het schema wijzigt, werk dan ook de docs bij
каждый раз когда меняешь схему, обновляй документацию
不明点があれば実装前に質問してください
每次改完接口都要更新文档
""",
    "bans": """
please stop using Timex
stop importing lodash in new modules
stop adding moduledocs to test modules
wir nehmen jetzt biome statt eslint, eslint ist raus
semicolons everywhere please, prettier is set up that way
nichts ohne Tests einchecken
I don't want you to run database commands on your own
não mexa na pasta `legado`, em hipótese nenhuma
non toccare `legacy/` per nessun motivo
не трогай папку vendor ни при каких условиях
别擅自升级依赖
do not touch the production config under any circumstances
class components are not an option in this codebase
hands off the terraform folder, the infra team owns it
I don't want to see any more TODO comments
I don't ever want to see a force push
interdiction de toucher au dossier `legacy`
никаких any
inline styles sind hier verboten
nada de comentarios obvios en el código
je ne veux plus voir de `any`
blijf van de map `vendor` af
mainに直接プッシュするのは禁止です
""",
    "conduct": """
don't invent APIs, look them up
no need to explain git to me
hör auf, ungefragt Dateien umzubenennen
deja de crear archivos markdown
para de criar arquivo de documentação
arrête d'ajouter des commentaires partout
smettila di creare file di documentazione
не надо создавать md файлы после каждой задачи
勝手にライブラリを追加しないで
不要每次都总结一遍，直接改就行
stop summarizing what you did after every change
""",
    "conventions of the team": """
we write our migrations by hand, no autogenerate
a gente escreve os testes com vitest, não com jest
金额统一用分存储，不要用浮点
tests live next to the code they cover
we say "basket" in the code, never "cart"
""",
    "tools and paths against others": """
don't put secrets into config.yml, they belong in vault
Verwende für HTTP-Aufrufe den ApiClient, kein nacktes fetch
`just test`, not `cargo test`
use the design tokens in `theme.ts`, not hex values
i test vanno nella cartella `tests`, non accanto ai sorgenti
""",
    "one format against another": """
Use tabs instead of spaces for indentation
Use 4 spaces instead of 2 for indentation
Use two spaces for indentation, not tabs
Use snake_case instead of camelCase for variables
Use LF instead of CRLF for line endings
Use UTC instead of local time for timestamps
Write commit messages in English instead of German
Store money in cents, not floats
For SQL use uppercase keywords instead of lowercase
Verwende Tabs statt Leerzeichen für die Einrückung
Usa tabulaciones en lugar de espacios para la indentación
Utilise des tabulations au lieu d'espaces pour l'indentation
Use tabs em vez de espaços para indentação
Usa i tab invece degli spazi per l'indentazione
Gebruik tabs in plaats van spaties voor inspringen
Используй табы вместо пробелов для отступов
缩进使用制表符而不是空格
インデントにはスペースではなくタブを使ってください
""",
    "preferences": """
I'd prefer that you show me a plan before you write code
I'd rather have a failing test than a skipped one
I can't stand abbreviations in variable names
my preference: composition over inheritance
prefiero que me enseñes el diff antes de aplicar nada
предпочитаю маленькие коммиты
I hate nested ternaries, please rewrite this one
mir wäre lieber, du fragst einmal mehr nach
preferiría que no tocaras los archivos de configuración
prefiro que você explique antes de alterar
j'aimerais que tu m'expliques ton plan avant de coder
コードを書く前に方針を説明してほしい
""",
    "who does what": """
deploys are my job, you stop after the build
I handle the git stuff. Don't commit.
releases are done by me, don't tag anything
I merge, you open PRs
only I touch the production database
o merge sou eu que faço
Das Deployment übernehme ich, du musst nur bauen
el despliegue lo hago yo
os commits quem faz sou eu
les commits c'est moi qui les fais
i commit li faccio io
commits doe ik zelf
деплой делаю я сам
デプロイは私がやります
部署我自己来
""",
    "answers": """
Show me diffs, not whole files.
less commentary, more code
call me out when I'm wrong
je veux des réponses courtes, pas de pavés
ответы покороче, без воды
説明は短めにお願いします
""",
    "questions before work and its order": """
ask before you install anything
run the tests before you tell me it's done
keine neuen Abhängigkeiten ohne Rücksprache
avísame antes de instalar cualquier cosa
me avisa antes de apagar arquivo
以后改代码之前先跟我确认
""",
}

FOUND_BY_RELEVANCE = {
    "complaints with the norm that was broken": """
опять console.log, у нас для этого есть логгер
""",
    "bans": """
toujours des noms de variables en anglais
""",
    "conventions of the team": """
logging goes through loguru in this repo
timestamps are stored as epoch millis across the whole backend
for API design we follow the google AIP guidelines
Bei uns heißen die Kunden "Mitglieder"
los precios se guardan en centavos, nunca en float
on n'écrit pas de commentaires évidents ici
qui le date si salvano in UTC
bij ons schrijven we tests met vitest
секреты только в vault, в репозиторий не кладём
このリポジトリではyarnを使います
""",
    "names and formats": """
use two spaces for indentation
branch naming: feature/<ticket>, bugfix/<ticket>
file names kebab-case, types PascalCase
constants are UPPER_CASE, private methods start with an underscore
test names read like sentences
имена веток в нижнем регистре
one migration per PR
a new file for each command
error messages: sentence case, no exclamation marks
columns are snake_case, classes CamelCase
um teste por regra de negócio
Fehlermeldungen auf Deutsch, Logs auf Englisch
los mensajes de commit en inglés y en minúscula
nomes de variáveis em inglês, comentários em português
un composant par fichier
i nomi delle variabili in inglese, i commenti in italiano
variabelen in het Engels, teksten in het Nederlands
сообщения коммитов на английском
コミットメッセージは英語、コメントは日本語で
组件名用大驼峰，文件名用短横线
""",
    "tools and paths against others": """
у нас в проекте используется pnpm, не npm
前端请求都走 api.ts，不要直接 fetch
""",
    "preferences": """
in general I want the smallest possible diff
""",
}
"""Wishes in forms that are mostly about the task at hand."""

ONE_OFF = """
以后是不是都用 pnpm 比较好
文档里写着以后都用 pnpm
READMEには今後pnpmを使うと書いてあります
no me acuerdo si usamos yarn o npm, revísalo
não lembro se usamos pnpm ou npm
I don't remember whether we use pnpm or npm here
vergiss nicht die Übersetzungen im Formular
não esqueça as traduções do formulário
n'oublie pas les traductions du formulaire
souviens-toi du bug d'hier, il est revenu
lembra do bug do carrinho, voltou
jestじゃなくてvitestのエラーです
不是 npm，是网络问题
nein es ist pnpm das nicht geht
it's react not loading the page
wir nehmen den Zug nach Berlin
no es pnpm no npm
toujours des erreurs de lint en rouge
te dije que no funcionan los tests
eu já disse que não funciona o login
já falei que não sei
ja falei pra nao mexer nisso
te dije que no toques eso
je t'ai déjà dit de ne pas toucher à ça
ich hab doch gesagt dass der Test rot ist
hab ich doch gesagt, kein Problem
je t'ai dit que ça marche pas
他都说了不要紧
take that out again, use fetch, not axios
quita eso, usa fetch en vez de axios
enlève ça, utilise fetch au lieu de axios
撤回刚才的改动，不要用 axios
again the same crash when I open the settings
third time it times out, we need a bigger instance
I told you the list is empty, the api returns nothing
whenever the user changes the email, send a confirmation
every time you click on save a new row is added
if you're unsure which file it is, it's the one in src/auth
when you're done with the header continue with the footer
if the test fails again, send me the log
I don't want to see the sidebar on mobile
no more than 5 items per page
banned users see an error page, add it
leave the header alone for now
use a set, not a list
use tabs instead of a dropdown for the settings page
use 3 columns instead of 2 for the table
use version 2 instead of 1 for the api call
use port 8081 instead of 8080 for the test
use enum values instead of strings for the status in this endpoint
actually, use a list instead of a dict here
actually, use tabs instead of buttons in the header
honestly, it never works
right click always opens the menu
put the label on top, not on the left
I'd rather you start with the backend part
I'd like you to add a filter for the status
I'd rather have two buttons than a split button on that toolbar
I hate this bug
great, keep going
commit message: "fix typo in header"
first the backend, then the frontend
don't invent data for the chart, use the csv
don't apologize in the error message shown to the user
Comments should be sorted by date, newest first
dates in the export must be dd.mm.yyyy
prices in the cart should include tax
every commit in this list should be shown with its author
the docs must mention that branches are deleted after the merge
in this project there is a file called utils.ts, open it
Tests fail on CI, not locally
is it forbidden to use eval here?
what do we use here for validation?
rename the file to kebab-case
for everything in the list add a delete button
only admins get the button, and that goes for the menu entry as well
don't touch main.py, only fix the test
変更したら教えて
in general it works but the last row is missing
I hate how this dialog looks, make it simpler
left, not right
No, the test always fails with a timeout.
Our test always fails on Windows.
We only use one of these functions.
prefiro o azul
my preference: the blue one
in this codebase I can't find the login handler
in this codebase the total is wrong again, fix it
no more retries needed, thanks
commit this with a short message
Admins must confirm before deleting a user
the linter says default exports are banned, what should I do?
no tests for this spike, it'll be thrown away tonight
Der Test läuft nur lokal, nicht in der CI
wenn du fertig bist, mach mit dem Footer weiter
cada fila necesita un botón de editar
los botones van a la derecha
aqui a gente usa uma lista, por que não um set?
on affiche les produits par 20
un bouton par ligne
i test non passano
опять та же ошибка
これはmapではなくfilterで書いてください
这里为什么用 logger？
""".strip().splitlines()

STORED = (
    (
        "logging goes through loguru in this repo, can you fix the print in worker.py",
        "logging goes through loguru in this repo",
    ),
    ("the page is broken again, stop adding comments everywhere", "stop adding comments everywhere"),
    (
        "nice, that works. And hands off the vendor folder, another team owns it",
        "hands off the vendor folder, another team owns it",
    ),
    (
        "no need to explain hooks to me and tell me why the effect fires twice",
        "no need to explain hooks to me",
    ),
    ("opening a socket per call is slow. Also: one service per module.", "one service per module."),
    ("we've been over this — Tailwind classes, not inline styles", "Tailwind classes, not inline styles"),
    ("opening. Feature flags for anything risky. No exceptions.", "Feature flags for anything risky. No exceptions."),
    ("didn't I say that generated files stay untouched?", "didn't I say that generated files stay untouched"),
)


AFTER_AN_ASIDE = """
btw we never use Process.sleep in tests
while you're at it: we never put @spec on private functions
oh and one other thing, always run the formatter before a commit
übrigens, niemals nackte Zahlen in Migrationen
ach übrigens: wir testen nie gegen die echte Datenbank
au fait, n'utilise jamais `any` dans les types
autre chose : on ne mocke jamais la base de données
por cierto, nunca uses `any` en los tipos
ya que estás, aquí nunca escribimos comentarios en inglés
aliás, nunca use `any` nos tipos
ah e outra coisa: a gente nunca usa default export
tra l'altro, non scriviamo mai commenti in inglese
trouwens, gebruik nooit `any` in types
nog iets: we pushen nooit naar main
кстати, никогда не используй `any` в типах
ちなみに、型では絶対に any を使わないで
顺便说一下，类型里永远不要用 any
""".strip().splitlines()

JOINED_TO_A_TASK = (
    ("fix the pruner, and never use Mox in new tests", "never use Mox in new tests"),
    ("add the index but never edit old migrations", "never edit old migrations"),
    ("korrigiere den Pruner, und benutze niemals Mox in Tests", "benutze niemals Mox in Tests"),
    ("corrige le parser et n'utilise jamais `any` dans les types", "n'utilise jamais `any` dans les types"),
    ("arregla el parser, y nunca uses `any` en los tipos", "nunca uses `any` en los tipos"),
    ("corrige o parser, e nunca use `any` nos tipos", "nunca use `any` nos tipos"),
    ("correggi il parser, e non usare mai `any` nei tipi", "non usare mai `any` nei tipi"),
    ("verwijder de parser, en gebruik nooit `any` in types", "gebruik nooit `any` in types"),
    ("исправь парсер, и никогда не используй `any` в типах", "никогда не используй `any` в типах"),
)

BANS_WITH_A_MODAL_VERB = """
services must never import from handlers
de changelog mag nooit meer dan 100 tekens per regel hebben
Komponenten dürfen niemals auf die Datenbank zugreifen
un composant ne doit jamais appeler `fetch`
los componentes no deben nunca llamar a `fetch`
componentes não podem nunca chamar `fetch`
i componenti non devono mai chiamare `fetch`
нельзя обращаться к базе из компонентов
コンポーネントから `fetch` を直接呼んではいけない
组件里绝不能直接调用 `fetch`
""".strip().splitlines()

RULES_IN_THE_INFINITIVE = """
documentatie altijd in het Engels schrijven
nooit hardcoded poorten in config
Migrationen immer von Hand schreiben
immer Tests für neue Endpoints schreiben
toujours écrire les tests avant le code
siempre escribir tests para los endpoints nuevos
sempre escrever testes para endpoints novos
scrivere sempre i test prima del codice
всегда писать тесты на новые эндпоинты
""".strip().splitlines()

RULES_WITH_A_CONSEQUENCE = """
we never raise in validate functions, they return an error
validators never throw, they return an error
wir werfen nie in Validatoren, sie geben einen Fehler zurück
on ne lève jamais dans les validateurs, ils renvoient une erreur
nunca lanzamos en los validadores, ellos devuelven un error
nunca lançamos nos validadores, eles retornam um erro
валидаторы никогда не бросают исключения, они возвращают ошибку
""".strip().splitlines()

AFTER_A_REASON = """
do not update seeds, never update seeds please
we're on python 3.9 here so never use match statements
the api is public, therefore never remove a field without deprecating it first
since we ship to banks, never log customer data
because the repo is public, always strip ids from fixtures
weil wir an Banken liefern, niemals Kundendaten loggen
wir liefern an Banken, deshalb niemals Kundendaten loggen
tenemos clientes en producción, así que nunca borres columnas en una migración
o deploy é automático, então nunca dê push direto na main
comme on vise ie11, n'utilise jamais les optional chaining
il cliente ha ragione, quindi d'ora in avanti ogni modifica alla UI la provi anche in modalità scura
we hebben oude browsers, dus gebruik nooit top-level await
у нас старые браузеры, поэтому никогда не используй top-level await
うちは古いブラウザも対応するから、オプショナルチェーンは絶対に使わないで
我们要支持旧浏览器，所以以后不要用可选链
""".strip().splitlines()

RULES_OF_EVERYDAY_WORK = """
nunca ignore erros de lint
nunca rompas la api pública
nie die .env committen
non loggare mai dati dei clienti
nooit de map legacy aanraken
never break the public api
""".strip().splitlines()

DECLARED_RULES = """
guardamos todo en UTC y convertimos al mostrar, lo digo para esto y para lo que venga
printf в прерываниях не используем, на этой плате оно вешает uart (это на будущее)
エラーメッセージは全部messages.jsonに置く決まりです
Bei uns läuft alles über gradlew, wie gesagt.
vitest partout, c'est ce qu'on a choisi en janvier
arrête de me demander confirmation pour chaque commande de lecture
my rules for sql: keywords uppercase, no select star, always alias tables.
our conventions for commits: lowercase, no period, imperative
house rules for tests: one assert per test, no mocks of the database
meine regeln für css: keine ids, keine !important, alles in rem
nossas regras para commits: em inglês, no imperativo, sem ponto
コミットのルール：英語、ピリオドなし
我们的提交规范：英文，不加句号
i never want to see a sleep in a test again
ich will nie wieder ein sleep in einem test sehen
no quiero volver a ver un sleep en un test
also we never log emails
anyway all metric names we add must start with shop_
da oggi solo rebase, niente merge commit
ask me when in doubt
pergunta sempre que tiver dúvida
""".strip().splitlines()

LIKE_RULES = """
as I said, the login breaks again
送料は5000円以上で無料になる決まりです
vitest everywhere fails now
don't close the modal, never close it on escape
our rules for discounts: 5% over 50, 10% for members
our rules engine: it parses the yaml twice
i never want to see this error again
what are our rules for commits: lowercase or not?
anyway the tests always fail on ci
ask the user if unsure
the cache is cold so it always returns null
the queue is full so always drops messages
since the cache is cold, it never returns data
as the user logs out, always clear the token in logout()
el token caducó, así que siempre devuelve 401
die liste ist leer, deshalb wird nie etwas angezeigt
add a retry so never lose a message
immer nur fehler beim speichern
sempre salta il primo elemento
btw the build always fails on windows
oh and it never finishes
while you're at it, remove the logs
stop using memory after close
stop using the old route in this test
stop adding rows to the table
by the way, we always get a 404 here
fix the parser, and always return null when it fails
add a toast and always show it on top
make the list and always sort it by date
fix the test, and never mind the lint errors
switch the route to v2 and always use the config of the agent as in run_task
der Button darf nie verschwinden
die Liste soll immer sortiert sein
immer die gleichen Fehler in den Tests
nunca vi este error en los tests
los tests nunca pasan en ci
nunca funcionou em produção
les tests ne passent jamais en ci
i test non passano mai
nooit gezien in de logs
altijd dezelfde fout in de tests
кнопка всегда должна быть видна
тесты никогда не проходят
テストが絶対に通らない
いつも型を忘れるよね、今すぐ直して
ログインしてはいけないのにできてしまう
测试永远跑不过
the workers always crash, they return an error
""".strip().splitlines()


REPORTS_WITH_ALWAYS_OR_NEVER = """
because we never close the connection the pool runs out
since we never await it the test is flaky
the bug: we always parse the date in UTC
hm, we always load the whole table here. make it lazy
handlers never throw, they return null. that's the bug
tests never finish, they return a timeout
API calls always in pairs, why
btw we always lose the focus when tabbing
we always sort by id, it should be by date
so we always end up in the catch
weil wir die Verbindung nie schließen, läuft der Pool voll
wir schließen die Verbindung nie. das ist der Fehler
parce qu'on ne ferme jamais la connexion, le pool déborde
como nunca cerramos la conexión se llena
porque nunca fechamos a conexão o pool estoura
non liberiamo mai il lock, questo è il bug
omdat we de verbinding nooit sluiten loopt het vol
потому что мы никогда не закрываем соединение
因为我们从不关闭连接
ロックは絶対に解放しない、なぜ
""".strip().splitlines()

WORDS_OF_ANOTHER = [
    "ESLint: never use var here, prefer const",
    "The page reads: oh, we never share your data",
    "our legal page: we never store cards",
    "acceptance criteria:\nTokens must never be logged\nLogs always in JSON",
    "jira-123\nPasswords must never be shown in logs",
]

MAYBE_OF_THE_TASK = """
nunca cerramos la conexión, arréglalo
we never close the socket. fix that
wir laden immer alles, mach das lazy
siempre cargamos toda la tabla, hazlo por páginas
мы никогда не закрываем соединение, исправь
update the docs, but never mention the beta
refactor parser.ts and never break the tests
write the migration and never drop the column
stop using polling
stop using recursion for traversal
""".strip().splitlines()


@together("message", [*REPORTS_WITH_ALWAYS_OR_NEVER, *WORDS_OF_ANOTHER])
def test_a_habit_that_is_blamed_or_that_another_wrote_is_no_rule(message: str) -> None:
    assert read_statements(message).statements == ()


@together("message", MAYBE_OF_THE_TASK)
def test_a_habit_to_be_repaired_or_a_ban_for_the_task_is_found_by_relevance(message: str) -> None:
    assert [statement.is_standing for statement in read_statements(message).statements] == [False]


@together(
    "message",
    [
        "stop using moment",
        "stop using callbacks everywhere",
        "all our parsers never throw, they return a Result",
    ],
)
def test_a_ban_of_a_tool_or_of_all_of_a_kind_is_a_standing_instruction(message: str) -> None:
    assert any(statement.is_standing for statement in read_statements(message).statements)


@together("message", [*AFTER_AN_ASIDE, *BANS_WITH_A_MODAL_VERB, *RULES_IN_THE_INFINITIVE, *RULES_WITH_A_CONSEQUENCE])
def test_a_rule_with_always_or_never_is_a_standing_instruction(message: str) -> None:
    assert any(statement.is_standing for statement in read_statements(message).statements)


@together(("message", "stored"), JOINED_TO_A_TASK)
def test_a_rule_joined_to_a_task_is_stored_without_the_task(message: str, stored: str) -> None:
    assert [(found.text, found.is_standing) for found in read_statements(message).statements] == [(stored, True)]


LABELS_OF_RULES = (
    "our conventions:", "hey, ground rules before we start:", "Here are the rules for this repo:",
    "Regeln für dieses Projekt:", "unsere Konventionen:", "reglas del proyecto:", "nossas regras:", "nos règles :",
    "le nostre regole per i test:", "onze afspraken:", "наши правила:",
    "プロジェクトのルールは以下の通りです：", "项目规则如下：",
)  # fmt: skip
LABELS_OF_THE_PRODUCT = (
    "validation rules:", "our pricing rules:", "rules of the game:", "implement these rules in the form:",
    "die Regeln des Spiels:", "reglas de validación:", "regras do jogo:", "折扣规则：",
)  # fmt: skip


@together("label", LABELS_OF_RULES)
def test_each_item_below_declared_rules_is_a_standing_instruction(label: str) -> None:
    found = read_statements(f"{label}\n- money in cents\n- tests in vitest\n\nnow add a health endpoint").statements
    assert [(part.text, part.is_standing) for part in found] == [("money in cents", True), ("tests in vitest", True)]


@together("label", ["from now on:", "ab jetzt bitte:", "a partir de ahora:", "d'ora in poi:", "今後は："])
def test_each_item_that_holds_from_now_on_is_a_standing_instruction(label: str) -> None:
    found = read_statements(f"{label}\n- money in cents\n- tests in vitest").statements
    assert [(part.text, part.is_standing) for part in found] == [("money in cents", True), ("tests in vitest", True)]


@together(
    ("message", "rules"),
    [
        (
            "our conventions:\nmoney in cents\ntests in vitest\n\nadd a health endpoint",
            ["money in cents", "tests in vitest"],
        ),
        ("our rules:\n- use tabs\n  (not spaces)\n- tests in vitest", ["use tabs", "tests in vitest"]),
        ("my rules: use tabs. tests in vitest.", ["my rules: use tabs.", "tests in vitest."]),
        (
            "our rules for commits: lowercase, no period. now fix the header",
            ["our rules for commits: lowercase, no period."],
        ),
    ],
)
def test_declared_rules_end_with_their_lines_or_with_a_task(message: str, rules: list[str]) -> None:
    assert [part.text for part in read_statements(message).statements if part.is_standing] == rules


@together("label", LABELS_OF_THE_PRODUCT)
def test_an_item_below_rules_of_the_product_is_no_standing_instruction(label: str) -> None:
    found = read_statements(f"{label}\n- a hit is ten points\n- five coins for each user").statements
    assert not any(part.is_standing for part in found)


@together("message", DECLARED_RULES)
def test_declared_rules_are_a_standing_instruction(message: str) -> None:
    assert [found.is_standing for found in read_statements(message).statements] == [True]


@together("message", [*AFTER_A_REASON, *RULES_OF_EVERYDAY_WORK])
def test_a_rule_is_a_standing_instruction_with_the_reason_before_it(message: str) -> None:
    assert [(found.text, found.is_standing) for found in read_statements(message).statements] == [(message, True)]


@together(
    "message",
    [
        "Der Nutzer darf nie mehr als drei Geräte gleichzeitig anmelden, das muss im Backend geprüft werden.",
        "Ein Gast darf nie die Preise sehen.",
        "L'utilisateur ne doit jamais voir les brouillons des autres.",
    ],
)
def test_what_users_of_the_product_may_never_do_is_no_standing_instruction(message: str) -> None:
    assert not any(statement.is_standing for statement in read_statements(message).statements)


@together("message", LIKE_RULES)
def test_a_report_or_a_part_of_the_task_with_always_or_never_is_no_rule(message: str) -> None:
    assert read_statements(message).statements == ()


@together("message", ["we never call flush, so the data is lost", "nunca fechamos a conexão, corrige isso"])
def test_a_habit_that_is_the_cause_of_a_fault_is_found_by_relevance(message: str) -> None:
    assert [statement.is_standing for statement in read_statements(message).statements] == [False]


@together(
    "message",
    [text for block in (*STANDING.values(), *FOUND_BY_RELEVANCE.values()) for text in block.split("\n") if text],
)
def test_a_final_full_stop_changes_nothing(message: str) -> None:
    bare = message.rstrip(".。")
    found = [read_statements(f"{bare}{end}").statements for end in ("", "." if bare.isascii() else "")]
    assert len({tuple((part.text.rstrip("."), part.is_standing) for part in statements) for statements in found}) == 1


@together(
    ("family", "message"), [(name, text) for name, block in STANDING.items() for text in block.split("\n") if text]
)
def test_a_wish_in_ordinary_words_is_a_standing_instruction(family: str, message: str) -> None:
    assert any(statement.is_standing for statement in read_statements(message).statements), family


@together(
    ("family", "message"),
    [(name, text) for name, block in FOUND_BY_RELEVANCE.items() for text in block.split("\n") if text],
)
def test_a_wish_that_may_be_of_the_task_is_no_standing_instruction(family: str, message: str) -> None:
    assert [statement.is_standing for statement in read_statements(message).statements] == [False], family


AFTER_OPENING_WORDS = [
    (opening, rule)
    for openings, rule in (
        (
            "Actually,;Honestly,;Well,;OK, so honestly,;Look,;Alright,;To be honest,;Seriously,;Sorry,;In fact,",
            "prefer composition over inheritance in this codebase",
        ),
        ("Actually,;Honestly;Well, actually,;Right,", "always run the linter before you commit"),
        ("Eigentlich,;Ehrlich gesagt,;Na ja,;Also gut,", "nutze pnpm statt npm"),
        ("En fait,;Honnêtement,;Bon,;Écoute,", "utilise pnpm au lieu de npm"),
        ("En realidad,;La verdad,;Bueno,;Mira,", "usa pnpm en vez de npm"),
        ("Na verdade,;Sinceramente,;Bom,;Olha,", "use pnpm em vez de npm"),
        ("In realtà,;Veramente,;Allora,;Guarda,", "usa pnpm invece di npm"),
        ("Eigenlijk,;Eerlijk gezegd,;Nou,", "gebruik pnpm in plaats van npm"),
        ("На самом деле,;Честно говоря,;Слушай,", "используй pnpm вместо npm"),
        ("其实，;说实话，", "用pnpm而不是npm"),
        ("実は、;正直、", "npmではなくpnpmを使って"),
    )
    for opening in openings.split(";")
]


@together(("opening", "rule"), AFTER_OPENING_WORDS)
def test_words_that_only_open_a_rule_change_nothing_and_are_not_stored(opening: str, rule: str) -> None:
    message = f"{opening} {rule}" if opening[-1].isascii() else f"{opening}{rule}"
    assert [(found.text, found.is_standing) for found in read_statements(message).statements] == [(rule, True)]


STATES_OF_A_RULE = """
hmm, revert that whole thing. maintainers say the policy is not in GovCloud, so every plan breaks there
hm, the RLS policy is missing for the orders table
the firewall rule is missing in staging
the cache policy is always empty in tests
the eslint rule is wrong
the retry policy is not applied when the queue is full
our CSP policy is blocking the inline script on the login page
our retention policy is missing in the terraform module
the routing rule is in nginx.conf
my firewall rule is broken
the naming convention is inconsistent in the api folder
the standard is not supported by safari
a lint rule is failing in ci
the policy is attached to the wrong role
they say the policy is to reject unsigned builds
the fallback rule is what breaks the login
die Regel ist falsch konfiguriert
la regla es incorrecta en staging
a regra é ignorada nos testes
la règle est cassée sur la page de login
""".strip().splitlines()

RULES_BY_NAME = """
the rule is: never commit generated files
our policy is to squash every branch
the rule here is one component per file
our convention is snake_case for columns
my rule is no abbreviations in names
the policy is to never log personal data
the rule is no raw SQL outside the repository layer
the rule for migrations is one change per file
the naming convention is PascalCase for components
our standard is ISO dates everywhere
the rule is simple: one assert per test
die Regel lautet: Tests zuerst
la regla aquí es usar snake_case
a regra é: sem comentários óbvios
la règle est de ne jamais pousser sur main
la regola è: niente default export
de regel is: geen any
""".strip().splitlines()


@together("message", STATES_OF_A_RULE)
def test_the_state_of_a_rule_in_the_code_is_no_wish(message: str) -> None:
    assert read_statements(message).statements == ()


@together("message", RULES_BY_NAME)
def test_a_rule_that_is_named_as_one_is_stored(message: str) -> None:
    assert read_statements(message).statements


ORDER_WITHOUT_A_LASTING_WORD = [
    "write tests first",
    "first write the test, then the code",
    "les tests d'abord, le code après",
    "primero escribe los tests, luego el código",
    "primeiro escreva os testes, depois o código",
    "erst die Tests schreiben, dann den Code",
    "prima il test, poi il codice",
    "сначала план, потом код",
    "まずテストを書いて、それからコードを書いて",
    "先写测试，再写代码",
]


@together("message", ORDER_WITHOUT_A_LASTING_WORD)
def test_an_order_of_steps_without_a_lasting_word_is_no_standing_instruction(message: str) -> None:
    assert not any(statement.is_standing for statement in read_statements(message).statements)


@together("message", ONE_OFF)
def test_a_request_for_the_task_at_hand_does_not_last(message: str) -> None:
    assert read_statements(message).statements == ()


@together(("message", "stored"), STORED)
def test_the_clause_is_stored_without_the_task_beside_it(message: str, stored: str) -> None:
    assert [statement.text for statement in read_statements(message).statements] == [stored]


@pytest.mark.parametrize(
    "message",
    [
        "ok, the modal is good. Use the same layout for all other dialogs",
        "bello così. Tieni questo stile anche per le prossime pagine",
        "any new service needs a health check",
    ],
)
def test_what_only_points_or_is_about_all_of_a_kind_is_found_by_relevance_alone(message: str) -> None:
    assert [statement.is_standing for statement in read_statements(message).statements] == [False]


@together(
    "message",
    [
        "Every session must have its own key and keys never leave the vault. Implement that in auth.py",
        'The wiki reads: "Guidelines: 1. Use early returns. 2. No magic numbers." Make a lint config of it',
        "Write me a PR template with a checklist: tests added, no console.log, one change per PR",
        'Reviewer comment: "We don\'t do default exports in this codebase." Can you address this one',
        "add a line to CONTRIBUTING that says migrations are written by hand in this repo",
    ],
)
def test_a_specification_a_quotation_and_a_text_to_write_are_no_wish(message: str) -> None:
    assert read_statements(message).statements == ()


def test_a_long_message_has_no_wish_in_ordinary_words() -> None:
    message = (
        "The import reads a file of orders. It checks each line. Errors go to a list. The list is shown. It is sorted. "
    )
    assert read_statements(f"{message} File names are kebab-case.").statements == ()


@together("end", [" ", "\n"])
def test_reading_takes_linear_time(end: str) -> None:
    message = (
        "hooks are called useXyz, handlers handleXyz. thats the naming, no exceptions, fix the two in cart.ts please"
    )
    assert takes_linear_time(lambda count: partial(read_statements, f"{message}{end}" * count), 15)


@together(
    "message",
    [
        "correggimi il componente page.tsx della pagina",
        "for reference @resources/home.html see how tabs are styled",
        "i dont want a separate section for these modules, i want everything organized by module",
        "update the README and mention the files that we no longer need",
        "No explicit dependencies found.",
        "If you need a tax number u can use my number",
        "we do have explicit `fiberDeps` in the config files",
        "also the login page should say so if the account is inactive",
        "make the title say so if nothing was found",
        "when I swipe a code away it should ask me first, deleted one by mistake yesterday",
    ],
)
def test_a_request_a_report_or_a_part_of_the_screen_is_no_lasting_wish(message: str) -> None:
    assert read_statements(message, "").statements == ()


AGENT_USED = "I started the server on port 8080 and pushed to the branch dev."
CORRECTED_VALUES = """
no, the port is 8081
No, the port is 8081.
No. The port is 8081.
no, the staging branch is called develop
nope, the database is called shop_prod
wrong, the env variable is SHOP_API_KEY
no, the test command is `make test`
no, the test command is npm run test:unit
actually, the base url is https://api.example.com/v2
no, the config file is config/app.yaml
no, the node version is 22
no, the port is 8081, not 8080
the port of the api is 8081, not 8080
that's wrong, the table is called order_items
No, the package is @shop/core.
nein, der Port ist 8081
Nein, der Staging-Branch heißt develop.
falsch, die Datenbank heißt shop
nein, die Umgebungsvariable heißt SHOP_API_KEY
não, a porta é 8081
não, o banco se chama loja_prod
não, a branch de staging se chama develop
nao, a porta é 8081
no, el puerto es 8081
no, la rama de staging se llama develop
non, le port est 8081
non, le port de l'API est 8081
non, la branche s'appelle develop
non, le fichier est config/app.yml
no, la porta è 8081
nee, de poort is 8081
nee, de branch heet develop
нет, порт 8081
нет, порт — 8081
нет, ветка называется develop
no, it's port 8081
no, it runs on port 8081
nope, the api listens on port 8081, not 8080
nein, er läuft auf Port 8081
no, corre en el puerto 8081
não, roda na porta 8081
non, il tourne sur le port 8081
no, gira sulla porta 8081
nee, hij draait op poort 8081
нет, сервер работает на порту 8081
いや、ポート8081です
不，用的是8081端口
いや、ポートは8081です
違います、ブランチは develop です。
不，端口是8081
不对，分支叫 develop
错了，数据库是 shop_prod
sbagliato, il database si chiama negozio
"""
OTHER_DENIALS = """
no, the button is red
no, the table is 3 columns
no, the port is wrong
no, the version is outdated
no, the file is missing
no, the branch is behind
the port is 8081
no, is the port 8081?
no, the port should not be 8081
no, the port is 8081 for this test
no, the variable is user_id
no, the title is Welcome
no, kill port 8081
no, use port 8081
no, it runs on port 8081 until docker is up
no, something else is on port 8081
nein, mach Port 8081 frei
no, the database is slow
no, the table is empty
no, the command fails
no, the server is down
nein, der Button ist rot
não, o botão é vermelho
no, the error is in cart.py
no, use the other one
no, the file is too big
no, the version is fine
no, for now the port is 8081
no, the endpoint is broken
no, the value is 12
no, the port is 8081, if docker runs
no, the package is not installed
いや、ボタンは赤です
不，按钮是红色的
no, the branch is main and it is failing with this error
"""


@together("message", CORRECTED_VALUES.strip().splitlines())
def test_a_corrected_value_of_a_named_fact_is_found_by_relevance(message: str) -> None:
    (statement,) = read_statements(message, AGENT_USED).statements
    assert (statement.kind, statement.is_standing, statement.corrects_value) == ("correction", False, True)
    assert not any(statement.corrects_value for statement in read_statements(message).statements), "nothing came before"


@together("message", OTHER_DENIALS.strip().splitlines())
def test_a_value_of_the_task_a_state_or_a_question_corrects_no_fact(message: str) -> None:
    assert not any(statement.corrects_value for statement in read_statements(message, AGENT_USED).statements)


def test_a_corrected_value_is_stored_without_the_task_beside_it() -> None:
    message = "No, the staging branch is called develop, please rebase on it."
    (statement,) = read_statements(message, AGENT_USED).statements
    assert statement.text == "the staging branch is called develop"
