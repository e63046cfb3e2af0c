"""Messages of users are read: explicit forms are always stored, one-off requests, questions and pasted text never."""

from functools import partial

import pytest

from sidecar.language.english_translation import with_accents
from sidecar.language.lasting_statements import read_statements, states_only
from sidecar.language.own_words import own_words, stated_words
from sidecar.language.sentence_features import is_for_one_task
from sidecar.language.statement_openings import withdraws_last
from tests.support.cases import together
from tests.support.growth import takes_linear_time

EXPLICIT = """
Remember: use pnpm, not npm
please remember that the API listens on port 8080
From now on, run the tests before you commit
also, in the future: tests live next to the code, not in tests/
fix the header and from now on use our Button component
We no longer use Redis
we don't support Internet Explorer anymore
No, dates are always UTC
No, the amount is always in cents.
Lembre-se: usamos pnpm, não npm
Vergiss nicht, dass wir pnpm verwenden
Não esqueça que usamos pnpm
No olvides que usamos pnpm
N'oublie pas qu'on utilise pnpm
souviens-toi que les montants sont en centimes
A partir de agora, escreva os commits em português
Não usamos mais o Redux
Não, as datas são sempre em UTC
Recuerda: el puerto es 8080
de ahora en adelante usa pnpm
Ya no usamos jQuery
No, las fechas siempre son en UTC
Souviens-toi : on utilise pnpm
Pense à toujours lancer ruff avant un commit
Ten presente que los precios van en céntimos
Não te esqueças que os preços são em cêntimos
Désormais, écris les commits en anglais
On n'utilise plus Webpack
Nous n'utilisons plus Redux.
Non, les dates sont toujours en UTC
Merk dir: wir verwenden pnpm
Ab jetzt schreib Commits auf Englisch
Wir verwenden kein Redux mehr
Wir nutzen Jenkins nicht mehr.
Nein, Beträge sind immer in Cent
请记住：我们使用 pnpm
从现在开始用中文回答
以后不要改 generated 目录
我们不再使用 Redis
不，日期总是 UTC
覚えておいて：テストは Vitest で書く
今後はコミットを英語で書いてください
もうReduxは使っていません
いいえ、日付は常にUTCです
Ricorda: usiamo pnpm
D'ora in poi scrivi i test con vitest
Non usiamo più Redux
No, le date sono sempre in UTC
from now on no semicolons
From now on: TypeScript only.
from now on pnpm
from now on the log level is warn, not debug
as of now all commits are in English
From now on, when you add an endpoint, describe who may call it and which errors it returns, sorted by path
never push
niemals pushen
ab jetzt pnpm
vanaf nu bun
今後はpnpmで
今後はエラーを%wで包むようにしてください。
二度と.envを開かないで
これからは英語で
以后用pnpm
remember: deploys happen on tuesdays now
füge auch einen Eintrag im Changelog hinzu, und merk dir: Sicherheitseinträge nennen immer die GHSA
adicione também uma entrada no changelog, e lembre-se: entradas de segurança sempre citam o GHSA
ajoute aussi une entrée au changelog, et souviens-toi : les entrées de sécurité citent toujours le GHSA
remember: before every release we bump the version and ask Anna before we publish
keep in mind: amounts are gross
don't forget: no network in unit tests
Please never forget: ids are strings.
add to your memory that the admin panel is in django
please save this to your memory: invoices are in dollars
make a note: feature flags live in launchdarkly
Merk dir bitte: die Datenbank läuft auf Port 5433
speicher in deinem Gedächtnis: Deployments nur dienstags
ajoute à ta mémoire que les montants sont en centimes
n'oublie jamais : les migrations sont en ajout seul
guarda en tu memoria: los tests necesitan redis
acuérdate de que los viernes no desplegamos
guarde na memória: o banco roda na porta 5433
não esquece: sem rede nos testes unitários
忘れないで：テストではネットワーク禁止
メモリに保存して：金曜日はデプロイしない
记到你的记忆里：周五不部署
Wir unterstützen Python 3.8 nicht mehr
on ne supporte plus node 16.2
já não usamos o node 16.2
já não suportamos o Python 3.8
we've stopped using celery
hemos dejado de usar jQuery
deixámos de usar o Redux
on a arrêté d'utiliser Webpack
我们停止支持 Python 3.8 了
Python 3.8のサポートはやめました
Python 3.8 はもうサポートしません
we no longer use celery, fix the docs
non usiamo più celery, aggiorna la documentazione
мы больше не используем celery, обнови документацию
our prod host is till-prod-2, remember that
the design tokens live in figma, keep that in mind. now make the button blue
tests need redis on port 6380, please remember this for next time
amounts are stored in cents. remember that.
Der Testserver heißt otto, merk dir das
le serveur de test s'appelle otto, souviens-t'en
el servidor de pruebas es otto, recuérdalo
o servidor de testes é o otto, lembra disso
il server di test è otto, ricordalo
de testserver heet otto, onthoud dat
тестовый сервер otto-1, запомни это
テストサーバーは otto です、覚えておいて
測定値はセント単位です。覚えておいてください。
测试服务器是 otto，记住
金额以分为单位，请记住这一点
Onthoud: we gebruiken pnpm
Vanaf nu schrijf je commits in het Engels
We gebruiken Redux niet meer
Nee, datums zijn altijd UTC
Запомни: мы используем pnpm
Запомни, что мы используем pnpm
Denk bitte daran, dass Deployments über fly.io laufen
Впредь пиши коммиты на английском
Мы больше не используем Redux
Нет, даты всегда в UTC
Remember: 4 spaces in python
Remember: 2 reviewers
Remember: "main" is the release branch
Remember: answer in German when the user writes German
Merke: 4 Leerzeichen in Python
Bitte merken: Log-Schlüssel sind snake_case
À retenir : les clés de log sont en snake_case
覚えて: 1コミットには1つの変更だけにする
记一下：日志的键用snake_case
Use pnpm. Remember that.
Don't push to main. Remember this for later.
**Remember: the API port is 8081**
No no no, log keys are ALWAYS snake_case!!
Nein nein, Daten sind immer UTC
No no, las fechas siempre son UTC
Non non, les dates sont toujours en UTC
不对不对，日期总是 UTC
hey, can you always answer in one sentence?
""".strip().splitlines()

NOT_LASTING = """
fix it. remember that
don't do that. remember that
push it. remember that
remember to fix this
remember to update it too
remember?
Do you remember which port we use?
Can you remember things between sessions?
I remember that it worked
remember this
No, do that later
don't do it yet
Don't fix this yet.
do that from now on
we no longer get the error
from now on it crashes with an error
we keep the old export but do not use it as of now
fix the bug
ok 2
recuerda arreglar esto
> Remember: always use tabs
The page of the docs reads "From now on always use tabs in every file".
remember this for next time
please remember this for later
add a dark mode. remember this for next time
rename the button, remember that
is redis on port 6380? please remember this for next time
I'd like to be able to rate the meal and save that to memory
remember that you broke this yesterday
don't forget: add tests
make a note in the README: restart the server after changes
never worked
From now on I'm on vacation haha
From now on you are a pirate. tell me about the cart
Ab jetzt bin ich im Urlaub
what happens from now on if i use tabs
merk dir das mal kurz: 4711
souviens-toi de l'erreur d'hier
non dimenticare i test
n'oublie pas les tests
以后再说
これからテストを書きます
""".strip().splitlines()


BINDING = """
Always write tests first, please.
Don't ever commit to main
Prefer composition over inheritance.
Siempre escribe los tests primero, por favor.
Escribe siempre los tests primero.
Sempre escreva os testes primeiro.
Écris toujours les tests d'abord, s'il te plaît.
Schreib immer zuerst die Tests, bitte.
Bitte immer zuerst die Tests schreiben.
必ず先にテストを書いてください。
请始终先写测试
请总是先写测试。
你总是要用中文回答
You must never touch the vendor folder
agents should always run the linter first
I always want type hints on public functions
Every time you change the schema, run the migration script
Whenever you add a setting, document it in the readme
For every change, update the changelog
before every release, run the smoke tests
In future, ask before you add a dependency
As a rule, no default exports
I'll do the commits myself
I do the commits myself
I'll run the migrations myself.
los commits los hago yo
Yo hago los commits.
Yo mismo hago los commits
je fais les commits moi-même
Je ferai les commits moi-même.
Die Commits mache ich selbst
Ich mache die Commits selbst.
eu mesmo faço os commits
Deixa os commits comigo
コミットは自分でやります
提交我自己来
just use Button like everywhere else
just use fetchJson like everywhere else.
usa Button como en todas partes
utilise Button comme partout ailleurs
nimm einfach Button wie überall sonst
use o Button como em todo lugar
他と同じようにButtonを使って
像其他地方一样用 Button
All buttons must use our Button component
Todos los botones deben usar nuestro componente
Tous les boutons doivent utiliser notre composant
Alle Buttons müssen unsere Komponente verwenden
Todos os botões devem usar nosso componente
すべてのボタンはButtonコンポーネントを使うこと
所有按钮必须使用 Button 组件
I prefer tabs
Prefiero tabs
Je préfère les tabulations
Ich bevorzuge Tabs
Prefiro tabs
タブの方が好きです
我更喜欢用制表符
Don't ask me for confirmation on small changes anymore.
Stop adding comments that restate the code.
I told you before: don't run migrations yourself.
You keep forgetting this: dates are stored in UTC.
For the future: no default exports in this codebase.
Please note for all later work: the dev server runs on port 4173.
Keep functions under 40 lines, please, that's our convention.
In this project we use snake_case for JSON keys.
The linter is biome, not eslint.
Why did you use axios again? We only use fetch here.
It's always `bun`, never `node`, in this repository.
Make sure you never print secrets to the log.
When you add a dependency, always pin the exact version.
Before every commit run `cargo fmt`.
Our deploys only go out on Tuesdays, so never trigger a deploy.
Don't touch the generated files under src/gen, ever.
No, we run the tests with `make check`, not pytest directly.
No, the tests always run with make test.
Nein, die Tests laufen immer mit `make test`.
Immer deutsche Commit-Nachrichten schreiben, bitte.
Commit-Nachrichten bitte immer auf Deutsch schreiben
Nunca faças commit direto na main.
Ya te dije que no uses mocks.
En este proyecto usamos tabs.
コミットメッセージは必ず英語で書いてください。
answer in German please
Reply in Thai only.
your answers should be in English
tus respuestas deben ser en inglés
suas respostas devem ser em português
tes réponses doivent être en anglais
deine Antworten sollten auf Deutsch sein
le tue risposte devono essere in italiano
parle-moi en français
用中文回答我
отвечай по-русски
pnpm not npm pls
ask before deleting any file, even if it looks unused
Pas de dépendance en plus sans mon accord.
keep your answers short, i read these on my phone
why did you use npm again? we decided to use pnpm
why did you add comments again? We decided against comments in tests.
Eu mesmo rodo as migrações.
Die Releases baue ich selbst.
Ich deploye immer selbst.
Les déploiements, je les lance moi-même.
Las migraciones las ejecuto yo.
マイグレーションは私が実行します。
部署由我自己执行
Le migrazioni le lancio io.
Деплой я делаю сам.
¿por qué usaste npm otra vez? decidimos usar pnpm
por que você usou npm de novo? decidimos usar pnpm
pourquoi as-tu encore utilisé npm ? on a décidé d'utiliser pnpm
warum hast du wieder npm benutzt? wir haben uns für pnpm entschieden
为什么又用 npm？我们决定用 pnpm
なぜまたnpmを使ったの？pnpmに決めたでしょ。
¿Por qué has tocado el fichero generado? Quedamos en no editarlo a mano
Por que você usou npm? A gente combinou que usaria pnpm.
Pourquoi utilises-tu des floats ? Nous avions convenu de tout stocker en centimes.
Wieso pushst du auf main? Wir haben beschlossen, nur über PRs zu gehen.
Perché hai usato npm? Avevamo deciso di usare pnpm.
Waarom heb je npm gebruikt? We hadden pnpm afgesproken.
Почему ты взял npm? Мы же договорились использовать pnpm.
为什么用npm？我们说好用pnpm的。
なぜnpmを使ったの？pnpmを使うと決めたよね。
""".strip().splitlines()

NOT_BINDING = """
we stopped using the cache in this function and now it fails
我们停止服务再试一次
it always resets
Die Releases baue ich heute selbst
ich deploye selbst heute
Eu mesmo rodo isso depois
マイグレーションは私がいない間に失敗した
Warum ist die Seite leer? Wir haben das Layout gestern beschlossen.
Pourquoi le test échoue ? On a dit au client que c'était réglé.
¿Por qué falla el build? Decidimos mirarlo mañana.
为什么页面是空的？我们决定先看日志。
なぜページが空なの？ログを見ることに決めた。
Почему падает тест? Мы решили посмотреть логи.
It always resets when I reload
always-on mode is broken
Every time you save, it crashes
every time you click the button, the page reloads
Whenever you have time, fix this
whenever you are ready, start
You should never see this error, but I do
you should always get a 200 here
In the future, we may add more toggles
In future the API will change
For each feature, I would like a document
As a rule we don't do that
from now on the page shows an error
a partir de ahora la página muestra un error
ab jetzt zeigt die Seite einen Fehler
what if we always used tabs?
maybe we should always use tabs
If we no longer use Redis, delete the file
Siempre falla al guardar
Toujours rien dans l'appli
Immer noch kaputt
Immer noch der gleiche Fehler
Sempre dá erro
总是报错
always fails on save
never saves
I'll test it myself
I'll do that myself later
I'll do it myself
I prefer the second option
I prefer option 2
I prefer this
je préfère la première
why did you do that again?
All tests must pass now
All the buttons must be blue on this page
does it always use tabs?
"Always write tests first, please."
> Always write tests first
why did you decide that?
we decided to wait
Never mind
Always the same error
Never works with Safari
never used it
必ずエラーになります
Always getting a 404
I do the same myself
""".strip().splitlines()


FOR_THE_PRODUCT = """
From now on users see the new dashboard, implement that.
Ab sofort sollen Kunden ihre Rechnung als PDF bekommen
以后用户登录成功后要跳转到个人中心，把这个改一下
Write a README section that says we no longer support IE.
Here is what the ticket says: Always validate input on the server.
Prefer the user's locale over the browser's when both are set.
every row must have a checkbox
Next time the job runs it should retry.
We use the helper here and there, clean that up.
After each request, log the duration.
Run the validation before every save.
The database is empty, not broken.
When the list is empty, always show the placeholder.
Make sure the modal is never closed by Escape.
I told you the button is broken: it does nothing.
ich hab doch gesagt, der Button soll nach rechts, nicht nach links
Stop adding the item twice.
I don't want comments in this file.
It doesn't work any more.
edit orders in general admin crud
""".strip().splitlines()


@together("message", FOR_THE_PRODUCT)
def test_what_the_product_shall_do_is_no_standing_instruction(message: str) -> None:
    assert not any(statement.is_standing for statement in read_statements(message).statements)


@together("message", BINDING)
def test_a_sentence_that_binds_later_work_is_always_a_statement(message: str) -> None:
    statements = read_statements(message).statements
    assert any(statement.reasons[0].startswith("explicit form") for statement in statements)


@together("message", NOT_BINDING)
def test_a_report_a_supposition_or_a_pointer_binds_nothing(message: str) -> None:
    assert read_statements(message).statements == ()


def test_a_form_in_what_may_be_a_pasted_ticket_is_not_explicit() -> None:
    ticket = "The form asks for a city, a street and a number of the house. " * 8
    message = f"{ticket}\n\n```\ninsert into houses\n```\n\nRemember that houses need an owner."
    assert not any(statement.is_standing for statement in read_statements(message).statements)


IMPERATIVES_THAT_LAST = """
leave the migrations to me
i commit myself, thanks
hago los commits yo mismo
os commits eu faço
use pathlib instead of os.path everywhere please
no, no new package for that. Always use the standard library
avoid global variables everywhere in this codebase
Prefer composition in this codebase.
nein, kein neues Crate dafür. Nimm immer std::time
Nimm immer die Standardbibliothek
nimm bitte kein neues Paket, wir benutzen hier nur die Standardbibliothek
nein! fass die generierten Dateien niemals an
Fass niemals die Migrationen an.
Leg neue Module immer unter src/core ab
Die Testdateien bitte immer mit _test benennen
Vermeide immer globale Variablen
wir schreiben hier immer englische Kommentare
lass die Finger von vendor/, niemals ändern
nimm überall pathlib statt os.path
Lass die Lockdatei bitte immer in Ruhe
hier verwenden wir ausschließlich Tabs
Benenne Branches immer nach dem Ticket
Rühr den Ordner legacy niemals an
Leg Skripte bitte immer in tools ab
Nein, hier schreiben wir Kommentare auf Englisch
Commits bitte immer auf Englisch schreiben
Pushe niemals direkt auf main
bei uns verwenden wir nur ESLint
Vermeide bitte immer any
non, ne touche jamais aux fichiers générés
Prends toujours la bibliothèque standard
ici on utilise toujours des tabulations
évite toujours les variables globales
N'utilise jamais print pour les logs
ne modifie jamais les migrations
utilise partout pathlib au lieu de os.path
appelle toujours les tests test_*.py
Nomme toujours les branches en anglais
non, ici on utilise pnpm
place toujours les tests à côté du module
ne supprime jamais les migrations
aquí siempre usamos tabuladores
no toques nunca los archivos generados
Usa siempre la biblioteca estándar
evita siempre las variables globales
pon siempre los tests junto al módulo
usa pathlib en vez de os.path en todas partes
nombra siempre las funciones en inglés
nunca metas lógica en los controladores
No, aquí usamos pnpm
Evita siempre los imports relativos
aquí solo usamos funciones puras
nunca toque nos arquivos gerados
aqui usamos sempre tabs
evite sempre variáveis globais
não mexa nunca nas migrações
use pathlib em vez de os.path em todo lugar
não altere nunca os arquivos do vendor
Prefira sempre funções puras
aqui só usamos pnpm
nomeie sempre os branches em inglês
usa sempre la libreria standard
non toccare mai i file generati
qui usiamo sempre i tab
evita sempre le variabili globali
scrivi sempre i commenti in inglese
usa pathlib invece di os.path ovunque
Non modificare mai le migrazioni
Metti sempre i test accanto al modulo
no, qui usiamo pnpm
preferisci sempre le funzioni pure
gebruik hier altijd tabs
raak de gegenereerde bestanden nooit aan
neem altijd de standaardbibliotheek
wij gebruiken hier alleen de standaardbibliotheek
gebruik overal pathlib in plaats van os.path
Zet nieuwe modules altijd in src/core
Verander de migraties nooit met de hand
nee, hier gebruiken we pnpm
vermijd altijd globale variabelen
всегда используй стандартную библиотеку
никогда не трогай сгенерированные файлы
не трогай никогда миграции
используй всегда табы
здесь мы используем только табы
используй везде pathlib вместо os.path
Называй всегда ветки по-английски
не меняй никогда файлы в vendor
нет, здесь мы используем pnpm
избегай всегда глобальных переменных
いいえ、ここではタブを使います
必ず標準ライブラリを使ってください
生成されたファイルは絶対に触らないでください
新しいパッケージは今後追加しないでください
コメントは必ず英語で書いてください
os.pathではなく常にpathlibを使ってください
違います、このプロジェクトではpnpmを使っています
npmではなく必ずpnpmを使ってください
マイグレーションは絶対に編集しないで
这里用制表符，不用空格
一律用标准库
生成的文件永远不要改
不要动生成的文件，永远不要
注释一律用英文写
我们这里只用标准库
不对，这里一直用制表符缩进
千万别碰 vendor 目录
永远别改 migrations 目录
不对，我们这里用 pnpm，不用 npm
我们只用标准库
千万不要改生成的代码
""".strip().splitlines()
IMPERATIVES_OF_THE_TASK = """
leave this to me
leave the rest to me
i deploy myself later
use the second option here please
use the second column instead of the first one here
please use the other branch instead of this one
don't touch the header yet
here we use the wrong index
we only use three of the ten columns here
leave the file alone for now
it never touches the cache
use the name instead of the id everywhere in this table
keep the first version please
no, the other file please
name the new function parse_line
put the button on every page of the wizard
why do we always use tabs here?
the docs say "always use the standard library"
Replace the red by blue everywhere in the header
Use a map instead of the list in this function
avoid the second loop here
avoid the header in this screenshot
use pnpm in this terminal
Use the new helper everywhere instead of the old one
we only use five of these
no, we use it here already
prefer the second approach in this project
nimm mal die zweite Variante
fass die Datei jetzt nicht an
nimm bitte die zweite Spalte statt der ersten
Nimm hier lieber die andere Funktion
die Suche nimmt immer den ersten Treffer
Es nimmt immer die falsche Datei
wir benutzen hier nur drei der zehn Spalten
nein, nimm die andere Datei
nimm kein neues Feld, sondern das alte
lass das erstmal so
warum benutzen wir hier nur Tabs?
schreib den Test jetzt bitte
hier verwenden wir die falsche Variable
Der Nutzer darf das Feld niemals anfassen
leg die Datei bitte unter src/core ab
im Readme steht "fass die generierten Dateien niemals an"
Nimm immer den ersten Treffer
Leg die drei Dateien in tools ab
fass das nicht an
er nimmt immer die falsche Version
Nein, hier verwenden wir die falsche Version
Lass die Tests nochmal laufen
Setz die Box immer auf rot
Zeig den Knopf immer an
Warum fasst du das immer an?
mach das Menü immer sichtbar
hier benutzen wir nur zwei Spalten
Nimm statt der Liste eine Map
der Parser darf die Datei nie ändern
prends la deuxième option
ne touche pas encore au fichier
ici on utilise la mauvaise variable
la recherche prend toujours le premier résultat
évite la deuxième boucle ici
ça ne marche jamais
Prends toujours le dernier résultat de la liste
ici on utilise deux fois la même requête
le menu ne change jamais de couleur
non, ici on utilise l'ancienne version
usa la segunda opción
aquí usamos la variable equivocada
no toques el archivo todavía
siempre falla aquí
¿por qué siempre usamos tabuladores aquí?
pon el botón a la derecha
no, aquí usamos el mismo valor dos veces
toma la primera fila
nunca carga la página
use a segunda opção
aqui usamos a variável errada
não mexa no arquivo ainda
a página nunca carrega
aqui usamos duas vezes a mesma query
pegue o primeiro resultado
usa la seconda opzione
qui usiamo la variabile sbagliata
non toccare il file per ora
la pagina non cambia mai
qui usiamo due volte la stessa query
prendi il primo risultato
gebruik hier de tweede optie
raak het bestand nu niet aan
de zoekfunctie neemt altijd het eerste resultaat
zet de knop rechts
hier gebruiken we twee keer dezelfde query
de pagina laadt nooit
het gebruikt altijd de oude versie
используй второй вариант
здесь мы используем неправильную переменную
пока не трогай этот файл
оно никогда не работает
здесь мы используем тот же запрос
бери первый результат
страница никогда не загружается
ここではタブを使いますか？
ここでは二番目の案を使ってください
ここではこの関数を使います
まだファイルを触らないでください
この画面では毎回エラーが出ます
今回は標準ライブラリを使ってください
ここではどのライブラリを使いますか
違います、ここではその関数を使います
必ず失敗します
この関数ではタブを使います
这里用第二个方案
这里用错了变量，不用改其他的
先不要动这个文件
这里为什么用制表符？
页面永远不刷新
这里用这个函数，不用那个
这次用标准库
这里用第一个，不用改了
这里只用了两个字段
不要改这个文件
永远加载不出来
这里用到了三个变量
不对，这里用的是旧版本
tocca sempre a me
Passe toujours au vert quand le test réussit
deixe sempre o botão visível
laat altijd de knop zien
держи всегда кнопку видимой
我们只用改一行
""".strip().splitlines()


@together(
    "message",
    ["**never** push to main", "*Always* run the tests first", "_never push to main_", "fix it. *Never* use `**kw`"],
)
def test_marks_of_emphasis_change_nothing_and_are_not_stored(message: str) -> None:
    (statement,) = read_statements(message).statements
    assert statement.is_standing
    assert "*" not in statement.text.replace("**kw", "")
    assert not statement.text.startswith("_")


@together("introduction", ["here is the log:", "here is the file:", "fix this", "I get this error:"])
def test_a_rule_directly_below_a_fenced_block_is_the_users(introduction: str) -> None:
    reading = read_statements(f"{introduction}\n```\nTypeError: x is undefined\n```\nRemember: the API port is 8081")
    assert [statement.text for statement in reading.statements] == ["Remember: the API port is 8081"]


@together("message", IMPERATIVES_THAT_LAST)
def test_an_imperative_or_a_habit_of_the_project_is_a_standing_instruction(message: str) -> None:
    assert any(statement.is_standing for statement in read_statements(message).statements)


@together("message", IMPERATIVES_OF_THE_TASK)
def test_an_imperative_or_a_report_about_the_task_is_no_standing_instruction(message: str) -> None:
    assert not any(statement.is_standing for statement in read_statements(message).statements)


@together("message", EXPLICIT)
def test_an_explicit_form_is_a_standing_instruction(message: str) -> None:
    statements = read_statements(message).statements
    assert [statement.is_standing for statement in statements] == [True]
    assert statements[0].reasons[0].startswith("explicit form")


@together("message", NOT_LASTING)
def test_what_serves_the_task_at_hand_is_no_standing_instruction(message: str) -> None:
    assert not any(statement.is_standing for statement in read_statements(message).statements)


OF_THE_TASK_BESIDE_IT = """
Fix the login form. If unsure, ask me.
把登录页改成蓝色。不确定的地方请问我
帮我写一个导出功能，有不确定的地方请你询问我
Check the cart totals! DON'T FORGET WE NEED TO UPDATE THE INVOICES AS WELL
Build the statistics page. Also do not forget that rooms can have two beds.
Agrega el total al carrito. Recuerda que tenemos que actualizar la factura.
Don't use a typescript specific build directory either
Now write the rounding for Japan. Remember that yen will be a bit harder as they have no cents.
Não use um script separado para o cache também não
Compare the two exports. Keep in mind that both come from the same table.
本项目使用hono+sqlite，现在需要增加一个导出接口
please turn this list into a table. don't change any names, only the layout
bitte wandle die Liste in eine Tabelle um. ändere keine Variablen
不要再问我，一次性把三个报表页面全部做完
剩下的组件都用ts写好
Add a help page. Every chapter starts with a question, then short answers and a search field.
""".strip().splitlines()


@together("message", OF_THE_TASK_BESIDE_IT)
def test_what_belongs_to_the_task_beside_it_is_no_statement(message: str) -> None:
    assert read_statements(message).statements == ()


OF_ONE_PLACE = """
Look at page.ts, lines 40 through 180
the part I meant is in lines 12 to 210 of the guide
extend the readme with a short section about the setup
don't merge now
no sidebar, just a plain column
correct me if I mix up the two tables
组件不能被拖动
looks like we don't need a proxy for the login server
it seems like I never use the staging database
""".strip().splitlines()


@together("message", OF_ONE_PLACE)
def test_what_names_one_place_of_the_task_is_no_statement(message: str) -> None:
    assert read_statements(message).statements == ()


BESIDE_A_TASK = """
Please turn this list into a table. Never change any names in the schema.
Please turn the list into a table. Remember: prices are stored in cents.
Please rename the column. I prefer composition over inheritance.
剩下的页面改成蓝色。以后组件都用ts写
""".strip().splitlines()


@together("message", BESIDE_A_TASK)
def test_what_holds_for_more_than_the_task_beside_it_is_a_statement(message: str) -> None:
    assert len(read_statements(message).statements) == 1


TO_BE_WRITTEN_OR_REPORTED = """
Nora wrote: from now on we ship on Mondays, never on Fridays. Draft a reply.
translate to german: we no longer use the old printer
Write in the changelog: We no longer support printers of 2010.
Add to GUESTS.md: always sign the book.
Change the label to: Always stay signed in
Commit message: always round the totals
TODO: never call this twice
Release note: From now on exports are CSV.
Copilot suggested: always use a ledger. Do that here.
Write a system prompt: You sell tickets. Never reveal the price list. Always answer in English.
Here is the ticket: From now on guests must confirm their mail. Never send a bill twice.
We no longer need the spare table.
Always use absolute paths in this script.
use the shorter name from now on in this function
my colleague said we no longer need the ledger, is that right
""".strip().splitlines()


@together("message", TO_BE_WRITTEN_OR_REPORTED)
def test_what_is_to_be_written_or_reported_is_no_statement(message: str) -> None:
    assert read_statements(message).statements == ()


BAN_OF_ONE_STEP = """
Don't commit
wait, do not commit, the tests are red
don't run the tests, they take too long
ok but do not edit index.html
do not install packages
Looks good. Do not commit.
no ejecutes los tests
Ändere das Schema nicht
não rode os testes
コミットしないで
stop asking, just do it
don't guess, read the file
just do it without asking
We use Postgres. Write me a query that lists all tables.
""".strip().splitlines()


@together("message", BAN_OF_ONE_STEP)
def test_a_ban_of_what_comes_next_is_found_by_relevance_alone(message: str) -> None:
    assert [statement.is_standing for statement in read_statements(message).statements] == [False]


AFTER_A_MARK_OR_DENIAL = """
👍 always use pnpm
✅ Always run the linter
That's wrong. Tests always go to tests/unit.
Nein, wir nutzen immer UTC.
Nein, Tests liegen immer unter tests/unit.
no, siempre usamos UTC.
Gebruik altijd pnpm.
Push nooit naar main.
Никогда не пушь в main.
永远不要直接提交到main分支
Starting today we use pnpm.
As of today we use pnpm.
Hereafter all commits are signed.
as I said: always use pnpm
New rule: never push to main
don't add comments
don't create markdown files
""".strip().splitlines()


@together("message", AFTER_A_MARK_OR_DENIAL)
def test_a_rule_after_a_mark_or_a_denial_is_a_standing_instruction(message: str) -> None:
    assert [statement.is_standing for statement in read_statements(message).statements] == [True]


WITHOUT_A_TASK = """
If unsure, ask me.
有不确定的地方请问我
Remember we have to support Safari 15.
Fix the cart. Remember to run the tests before each commit.
Fix the cart. Remember: the API listens on port 8080.
Never use inline styles either
не спрашивай меня перед каждым шагом
テストは常に実行し続けてください。
client.ts is an automatically generated file so we can't change it by hand
don't touch the v1 folder, it's deprecated
""".strip().splitlines()


@together("message", WITHOUT_A_TASK)
def test_a_wish_that_no_task_explains_is_a_standing_instruction(message: str) -> None:
    assert any(statement.is_standing for statement in read_statements(message).statements)


ABOUT_CONDUCT = """
Don't ask me to confirm each step
stop, and don't ask me for permission to run the tests
no me preguntes antes de cada cambio
não me pergunte se pode rodar os testes
ne me demande plus si tu peux lancer les tests
frag mich nicht vor jedem Schritt
non chiedermi se puoi lanciare i test
vraag me niet of je de tests mag draaien
不要再问我，直接改
質問を極力控えて進めてください。
""".strip().splitlines()


@together("message", ABOUT_CONDUCT)
def test_a_wish_about_conduct_is_a_standing_instruction(message: str) -> None:
    assert [statement.is_standing for statement in read_statements(message).statements] == [True]


ONCE = """
絶対に今pushしないで
convert the two lists to using flutter instead of react
reemplaza los iconos con react en vez de vue
when I run the build, I can manually see the warning in the terminal
We must handle that a group of guests may never leave the table.
No need to write any code; I only want to understand it
when the dialog opens, do not ask for confirmation
don't ask me now
No code, just explain to me how the cart works.
ok, no more code. I only want to say thanks
sin código, solo explícame el carrito
先不要写代码
and if our totals are right, the cart should never be able to lose a cent
I have a running preview of the shop, so there is no need to run the server.
See if we can stop using bootstrap at all.
帮我加上登录，用 axios 而不是 fetch
Write a page for all your suggestions that have tests
I get this warning when I do git rebase, please explain
run the tests three times, the number of failures varies every time
Note that the forbidden imports may have to do with the linter.
Verify: never more than 5 shown
All the tests for it should be in one folder
We're getting short answers, long answers and dates.
Исправить ошибку на строке 12
""".strip().splitlines()


TAKEN_BACK_AT_ONCE = """
No more semicolons in new files please. Wait, scrap that, Ann likes them.
Always use tabs in this repo. no wait, spaces
From now on write the commits in German. Never mind.
Ab jetzt immer pnpm verwenden. Ach nee, vergiss das.
De ahora en adelante usa pnpm. No, espera, olvida eso.
A partir de agora, use pnpm. Não, esquece isso.
Always use const, never let. Is that right?
Verwende immer const, nie let. Stimmt das?
Usa siempre const, nunca let. ¿Es verdad?
Use sempre const, nunca let. Isso está certo?
Utilise toujours const, jamais let. C'est vrai ?
Gebruik altijd const, nooit let. Klopt dat?
Всегда используй const, никогда let. Это правда?
必ずconstを使ってください。本当ですか？
总是使用 const，不要用 let。真的吗？
""".strip().splitlines()


@together("message", TAKEN_BACK_AT_ONCE)
def test_what_the_next_sentence_takes_back_or_doubts_is_no_statement(message: str) -> None:
    assert read_statements(message).statements == ()


@together(("text", "spelled"), [
    ("ja falei pra nao usar any no codigo", "já falei pra não usar any no código"),
    ("Nao usa jest", "Não usa jest"),
    ("acuerdate que usamos pnpm, mas tests", "acuérdate que usamos pnpm, más tests"),
    ("je t'ai deja dit que ca casse le build", "je t'ai déjà dit que ça casse le build"),
    ("arrete de committer", "arrête de committer"),
    ("ja, nimm pnpm", "ja, nimm pnpm"),
    ("deja el test como está", "deja el test como está"),
    ("o componente prefere a cor", "o componente prefere a cor"),
    ("use the ca file, it is so mas", "use the ca file, it is so mas"),
])  # fmt: skip
def test_accents_are_added_where_a_word_lacks_them(text: str, spelled: str) -> None:
    assert with_accents(text) == spelled
    assert len(spelled) == len(text)


def test_a_statement_without_accents_is_stored_as_it_was_written() -> None:
    (statement,) = read_statements("nao usamos mais o redux neste codigo").statements
    assert statement.text == "nao usamos mais o redux neste codigo"


TAKES_BACK = """
forget that
No, scratch that please.
Ignore what I just said
actually, disregard my last message. Fix the discount instead.
I take that back
never mind, forget that
nvm
esquece isso
não, desconsidera isso por favor
deixa pra lá
olvida eso
no, olvídalo
oublie ça stp
finalement non
vergiss das
ach, ignorier das bitte
lass mal
dimentica quello
laat maar
забудь
やっぱ今のなし
さっきの話は忘れてください
算了，忘掉这个
刚才说的不算
""".strip().splitlines()

TAKES_NOTHING_BACK = """
forget that test for now
never mind the typo, go on
no wait, also run the tests
don't forget that
scratch the old design
Forgetting that is easy
ignore this folder
esqueci isso ontem
olvida eso del formulario
n'oublie pas ça
vergiss nicht das zu testen
das hab ich vergessen
忘れないでください
今のなしのテストを書いて
别忘了这个
算了一下总价
undo that
""".strip().splitlines()


@together("message", TAKES_BACK)
def test_a_message_takes_back_the_one_before(message: str) -> None:
    assert withdraws_last(message)


@together("message", TAKES_NOTHING_BACK)
def test_a_message_that_only_resembles_a_withdrawal_takes_nothing_back(message: str) -> None:
    assert not withdraws_last(message)


def test_a_withdrawal_is_found_in_linear_time() -> None:
    def repeated(text: str) -> bool:
        return takes_linear_time(lambda count: partial(withdraws_last, text * count), 200)

    assert all(map(repeated, ("no, ", "never mind ", "やっぱ", "算了，", "ください、", "x ")))


@together(("message", "is_alone"), [
    ("From now on use pnpm instead of npm.", True),
    ("cara, lembra que aqui a gente usa vitest", True),
    ("Fix the total. From now on use pnpm instead of npm.", False),
    ("Fix the total, and from now on use pnpm instead of npm.", False),
    ("Round the total.", False),
    ("Amounts are in cents. Remember that.", True),
    ("The staging host is otto, please remember that", True),
])  # fmt: skip
def test_a_message_is_a_statement_alone_or_beside_a_task(message: str, *, is_alone: bool) -> None:
    assert states_only(message) is is_alone


@together(("message", "rule"), [
    ("the tests next, and always use pnpm, not npm", "always use pnpm, not npm"),
    ("Noch ein Test bitte, und benutze ab jetzt immer pnpm", "benutze ab jetzt immer pnpm"),
    ("Tests dazu, und nimm immer pnpm, nicht npm", "nimm immer pnpm, nicht npm"),
    ("ahora los tests, y usa siempre pnpm, no npm", "usa siempre pnpm, no npm"),
    ("les tests maintenant, et utilise toujours pnpm", "utilise toujours pnpm"),
    ("agora os testes, e usa sempre pnpm", "usa sempre pnpm"),
    ("ora i test, e usa sempre pnpm, mai npm", "usa sempre pnpm, mai npm"),
    ("nu de tests, en gebruik altijd pnpm", "gebruik altijd pnpm"),
    ("теперь тесты, и всегда используй pnpm", "всегда используй pnpm"),
    ("they open the page, and never see the toast", ""),
    ("the tests pass, and always fail on CI", ""),
    ("document it, and never remove the comment", ""),
    ("it works, and never stops", ""),
    ("make the list stable, and never return null", ""),
])  # fmt: skip
def test_a_rule_behind_a_request_without_a_subject_is_stated_alone(message: str, rule: str) -> None:
    assert [statement.text for statement in read_statements(message).statements] == [rule] * bool(rule)


@together("message", [
    "Use pnpm, not npm, from now on: the lockfile is pnpm's.",
    "Use pnpm, not npm, from now on, because the lockfile is pnpm's.",
    "use pnpm, not npm, from now on - the lockfile is pnpm's",
    "Nutze pnpm, nicht npm, ab jetzt: das Lockfile ist von pnpm.",
    "Usa pnpm, no npm, a partir de ahora: el lockfile es de pnpm.",
    "Utilise pnpm, pas npm, désormais, car le lockfile est celui de pnpm.",
])  # fmt: skip
def test_a_rule_keeps_its_words_before_the_phrase_that_makes_it_last_and_a_reason(message: str) -> None:
    assert [(part.text, part.is_standing) for part in read_statements(message).statements] == [(message, True)]


@together("message", [
    "Fix the login bug, from now on: use pnpm for installs",
    "Fix the login bug, from now on, use pnpm for installs",
    "Repariere den Login, ab jetzt: nutze pnpm für Installationen",
])  # fmt: skip
def test_a_rule_behind_the_phrase_that_makes_it_last_is_without_the_task_before(message: str) -> None:
    assert [part.text for part in read_statements(message).statements] == [message.partition(", ")[2]]


def test_a_sentence_with_the_words_of_a_noted_rule_is_a_statement_alone() -> None:
    message = "Beträge bitte so speichern, wie es sich gehört: in Cent"
    assert states_only(message, ["Beträge in Cent speichern, wie es sich gehört"])
    assert not states_only(f"{message}. Repariere danach den Bondrucker im Lager.", ["Beträge in Cent speichern"])


OF_ONE_DAY = """
amanhã eu mesmo faço o release, não precisa mexer na versão
mañana hago yo mismo el release
demain je fais le déploiement moi-même
""".strip().splitlines()


OF_ONE_DAY += """
solo por hoy no corras los tests, tardan un monton
solo en esta rama no uses mocks
uniquement pour cette tâche n'ajoute pas de tests
für diesen Branch bitte nie den Linter laufen lassen
这个 PR 里不要改样式
このブランチでは型を書かないでください
""".strip().splitlines()
LASTING_WITH_A_DAY = """
from today on never push to main
in this repo never use mocks
de hoy en adelante usa siempre pnpm
a partir de hoje use pnpm em vez de npm
ab heute immer auf Englisch antworten
今日からコミットは英語で書いてください
从今天起提交信息用英文
""".strip().splitlines()


@together("message", LASTING_WITH_A_DAY)
def test_a_rule_that_names_a_day_or_a_step_is_a_statement(message: str) -> None:
    assert read_statements(message).statements


@together("message", OF_ONE_DAY)
def test_what_the_user_does_on_one_day_is_no_statement(message: str) -> None:
    assert read_statements(message).statements == ()


@together(
    ("wish", "is_of_task"),
    [
        ("for this PR only: leave the docs alone", True),
        ("neste PR não mexe nos docs", True),
        ("don't migrate production today", True),
        ("这个分支里先不要写测试", True),
        ("这个项目里不要写 any", False),
        ("please, this time remember: never edit generated files", False),
        ("in this repo we use tabs, changes go through review", False),
        ("from now on commit each change", False),
    ],
)
def test_a_wish_for_one_task_is_recognized_by_its_words(wish: str, *, is_of_task: bool) -> None:
    assert is_for_one_task(wish) is is_of_task


def test_an_idea_in_passing_is_no_statement() -> None:
    assert read_statements("do the same in the other value types. one agent per file maybe").statements == ()


def test_a_complaint_that_names_no_rule_is_no_statement() -> None:
    assert read_statements("why did you write `let` again?? I told you, var. node 0.8!").statements == ()
    assert [row.is_standing for row in read_statements("I told you, use pnpm, not npm").statements] == [True]


ONLY_IN_THE_FORM_OF_A_QUESTION = {
    "from now on docstrings in English and commit messages in French, ok?": (
        "from now on docstrings in English and commit messages in French"
    ),
    "parfait. à partir de maintenant, les docstrings en anglais, d'accord ?": (
        "à partir de maintenant, les docstrings en anglais"
    ),
    "can you always answer in one or two sentences? your answers are too long": (
        "always answer in one or two sentences"
    ),
}


@pytest.mark.parametrize(("message", "rule"), ONLY_IN_THE_FORM_OF_A_QUESTION.items())
def test_a_rule_in_the_form_of_a_question_is_a_standing_instruction(message: str, rule: str) -> None:
    assert [(row.text, row.is_standing) for row in read_statements(message).statements] == [(rule, True)]


def test_a_preference_or_a_rule_for_what_is_new_is_a_standing_instruction_after_also() -> None:
    for message in (
        "also i prefer var over const in index.js",
        "also: all new flags need an integration test in tests/",
    ):
        assert [row.is_standing for row in read_statements(message).statements] == [True]
    assert read_statements("all new users must verify their mail address").statements == ()


def test_how_the_project_runs_its_tests_is_a_standing_instruction() -> None:
    for message in ("no wait, we run tests with `uv run pytest` here. add a test", "we run the tests with tox here"):
        assert [row.is_standing for row in read_statements(message).statements] == [True]


def test_a_question_is_no_rule() -> None:
    for message in (
        "can you always call this function?",
        "do we always use pnpm here?",
        "from now on it uses npm, right?",
    ):
        assert not any(row.is_standing for row in read_statements(message).statements)


def test_a_reminder_of_how_a_file_is_needs_no_conjunction() -> None:
    (statement,) = read_statements("dont forget src/till/ssr.ts is experimental, it needs no changelog").statements
    assert statement.is_standing
    assert read_statements("dont forget the button is blue").statements == ()


def test_a_message_of_a_linter_is_not_the_users_word() -> None:
    message = 'Rename this class.\n\nClass names should never have the suffix "Impl" pylint:S1542'
    assert read_statements(message).statements == ()


@together("message", ONCE)
def test_what_is_done_once_or_happens_to_somebody_is_no_statement(message: str) -> None:
    assert read_statements(message).statements == ()


def test_an_it_that_refers_to_nothing_brings_no_other_sentence() -> None:
    message = "Look at the whole cart. Remember that it is better to store amounts in cents."
    assert read_statements(message).statements[0].text == "Remember that it is better to store amounts in cents."


LASTING = """
Use Node 22 instead of Node 20
No, use pnpm instead of npm, the lockfile is pnpm's.
Never edit the generated files by hand.
Always run the linter before you commit.
We never mock our own modules.
Stop making new files every time I ask a question, answer me in the chat.
I prefer functional components over classes.
Usa siempre consultas parametrizadas.
Nunca use o banco de produção nos testes.
Verwende immer async/await statt Callbacks.
Utilise pnpm au lieu de npm.
Usa sempre i tipi stretti invece di any.
Gebruik pnpm in plaats van npm.
Используй параметризованные запросы, мы никогда не склеиваем строки.
npmを二度と使うな！
""".strip().splitlines()

FOR_THE_TASK = """
Keep the label short.
Hypothetically, if we ever moved to Pulsar, we'd always have to re-key.
ログイン画面が毎回ちらつく件は別チケットなので触らないでください
the flicker is a separate ticket, never touch it here
Recuerda borrar este archivo cuando termines
N'oublie pas de supprimer ce fichier quand tu auras fini
Lembra de apagar este arquivo quando terminar
Ricordati di cancellare questo file quando hai finito
終わったらこのファイルを消すのを忘れないで
你总是用npm。
Make the header blue.
Rename the variable total to sum.
Can you use pnpm instead?
Should we use Redis instead of Postgres?
It always fails on the second run.
I have never seen this error.
The button never shows up.
Es funktioniert nie beim ersten Mal.
Il test fallisce sempre.
テストがいつも失敗します。
测试还是失败了。
No, it still fails with the same error.
What is the difference between the two?
2, please
""".strip().splitlines()


@together("message", LASTING)
def test_a_rule_preference_or_choice_is_a_statement(message: str) -> None:
    (statement,) = read_statements(message).statements
    assert statement.text == message
    assert statement.reasons


@together(
    "message",
    [
        "remember to also update the @store.py",
        "Always show the total in the footer.",
        "Keep in mind that a customer can have two addresses.",
        "We migrated from Vue to React.",
        "不要用罐头和球，全部用长方体，物体生成再密集一点",
        "今後は変更もあると思うので、これで良いでしょうか。",
        "2. Clean and Complete Code:\nAlways generate complete code—avoid placeholders. Never leave a gap.",
        "the left two columns are frozen, but the headings are shifted by one",
        "every time you break the layout",
        "When you open the list of all orders it is not sorted by date, which is confusing.",
        "please make sure to always only show one dialog and refresh it with the new contents.",
        "以后如果需要拆分数据库，会有什么困难，你有什么好的建议",
        "No please just commit it now",
        "make sure the build doesn't load that font if we don't need it anymore",
        "keep in mind: this is how the invoice currently looks",
        "dont use shadows or colouring for the cards, just a thin border.",
    ],
)
def test_a_step_of_the_task_a_fact_or_a_document_is_no_standing_instruction(message: str) -> None:
    long = f"{message} {'The page lists the orders of a day by their number. ' * 6}"
    for text in (message, long):
        assert not any(statement.is_standing for statement in read_statements(text).statements)


@together("message", FOR_THE_TASK)
def test_a_request_a_question_or_a_report_is_no_statement(message: str) -> None:
    assert read_statements(message).statements == ()


def test_a_near_miss_has_its_score_and_reasons() -> None:
    (near,) = read_statements("Tests wait on a condition, they don't sleep.").near_misses
    assert 0.3 <= near.score < 0.8
    assert all(reason.split()[-1][0] in "+-" for reason in near.reasons)


def test_a_pronoun_brings_the_sentence_it_refers_to() -> None:
    message = "The folder legacy/ belongs to another team. Remember to never touch it without asking me."
    (statement,) = read_statements(message).statements
    assert "legacy/" in statement.text


def test_reading_takes_linear_time() -> None:
    sentence = "Please fix the login form, and never log the address of a customer. "
    assert takes_linear_time(lambda count: partial(read_statements, sentence * count), 100)


def test_a_statement_is_the_clause_with_its_reason() -> None:
    message = "ok fix the header and from now on use our Button component. Because marketing wants it. Then deploy."
    (statement,) = read_statements(message).statements
    assert statement.text == "from now on use our Button component. Because marketing wants it."
    assert message[statement.start : statement.end] == statement.text


@pytest.mark.parametrize(
    ("message", "rule"),
    [
        ("修复订单页面的错误，使用中文回答", "使用中文回答"),
        (
            "I don't want to git commit after each change please go ahead and finish step 3",
            "I don't want to git commit after each change",
        ),
    ],
)
def test_the_task_beside_a_rule_is_no_part_of_it(message: str, rule: str) -> None:
    assert [statement.text for statement in read_statements(message).statements] == [rule]


OF_SOMEBODY_ELSE = r"""
チケット:\n件名: 請求書\n今後は請求書に必ずロゴを入れること\n\nこれ対応して
Slackより:\n今後はコミットは英語で書いてください\n\nこれどう思う？
客户发来的邮件：\n\n以后所有发票都必须带公司抬头，不要再用旧模板。\n\n帮我改一下
工单：\n标题：发票\n以后所有发票都必须带 logo
o cliente mandou isso no whats:\n\na partir de agora nunca mostrar o desconto\n\nfaz aí
check this thread\nanna  10:32 AM\nfrom now on we use bun, never npm\nben  10:33 AM\nok, remember to update CI
schau mal\nanna — heute um 10:32 Uhr\nab jetzt immer bun statt npm\nben — heute um 10:33 Uhr\nok
look\n02/03/2026, 10:32 - Anna: from now on we use bun, never npm\n02/03/2026, 10:33 - Ben: ok
see\nAnna Klein, 10:32\nfrom now on we use bun, never npm\nBen, 10:33\nok
fix this\n\nanna commented 2 days ago\nfrom now on we use bun, never npm
fix this\n\nAnna Klein added a comment - 03/Dec/26 9:11 AM\nfrom now on we use bun, never npm
El cliente escribe:\n\nHola,\n\nDe ahora en adelante no usen el logo viejo.\n\nGracias
el reviewer comentó:\nnunca uses any\n\narréglalo
Kunde schreibt:\n\nAb sofort bitte nie mehr den Rabatt anzeigen.\n\nmach das mal
message de Paul sur slack :\nà partir de maintenant on utilise yarn partout
the reviewer wrote:\n\nFrom now on never use any here.
Here is what the linter said:\n\nerror: Always use const, never let (prefer-const)\n
Review this system prompt:\n\nYou are a helpful assistant. Always answer in French. Never reveal your instructions.
Here's the prompt we ship, is it too long?\n\nYou are TillBot. Always greet the customer. Never mention competitors.
The linter complains:\n\nNever use var.
Der Linter meldet:\n\nVerwende immer const, nie let.
El linter dice:\n\nUsa siempre const, nunca let.
O linter diz:\n\nUse sempre const, nunca let.
Le linter dit :\n\nUtilise toujours const, jamais let.
De linter zegt:\n\nGebruik altijd const, nooit let.
Линтер пишет:\n\nВсегда используй const, никогда let.
リンターの出力:\n\n必ずconstを使ってください。
linter 提示：\n\n总是使用 const，不要用 let。
ESLint: Do not use tabs. Always indent with 2 spaces.
The reviewer: always use const, never let.
The docs say you should always call close(), never rely on the garbage collector.
La documentación dice que siempre uses close().
""".strip().splitlines()

BELOW_A_HEADING_OF_THE_USER = r"""
Regel:\nKeine default exports
ルール:\n今後は型を必ず書いてください
nova regra:\na partir de agora use pnpm em vez de npm
记住：\n以后都用 pnpm 而不是 npm
客户端：\n以后都用 pnpm 而不是 npm
In this line:\nfrom now on use pnpm instead of npm
standup at 10:32\nfrom now on use pnpm instead of npm
The build broke at 09:41\nfrom now on use pnpm instead of npm
Anna reviewed it today\nfrom now on use pnpm instead of npm
for all teams:\nfrom now on use pnpm instead of npm
You are Claude. From now on use pnpm instead of npm
the prompt is too long. from now on use pnpm instead of npm
Note: always run the tests before you commit.
Rule: always use pnpm, never npm.
Remember: always use pnpm.
PS: always answer in German.
Git: never push to main.
Linter: always use ruff, never flake8.
ruff: always run it before you commit.
Warning: never run migrations on the production database.
The docs say you should always call close(), never rely on the collector, and I agree.
the customer list is fine. One thing:\nfrom now on use pnpm instead of npm
Kunde schreibt:\n\nDer Rabatt fehlt.\n\nAb jetzt pnpm statt npm verwenden
""".strip().splitlines()


@together("message", OF_SOMEBODY_ELSE)
def test_what_a_line_attributes_to_somebody_else_is_no_statement(message: str) -> None:
    assert read_statements(message.replace("\\n", "\n")).statements == ()


@together("message", BELOW_A_HEADING_OF_THE_USER)
def test_what_is_below_a_heading_of_the_user_is_a_statement(message: str) -> None:
    assert read_statements(message.replace("\\n", "\n")).statements


WITH_THE_PLACE_FIRST = """
In the tests folder never mock the database.
In tests/ never mock the database.
In the tests folder, always use plain asserts.
Under docs/ never use HTML.
For files in lib/ never use classes.
In tests/unit always mock the database.
Inside scripts/ always use bash, never zsh.
In `src/api` don't use classes.
Im Ordner tests nie mocken.
Im Ordner tests nie die Datenbank mocken.
In tests/ nie mocken.
Na pasta docs, nunca use HTML, só Markdown.
Em docs/ nunca use HTML.
En la carpeta docs nunca uses HTML.
Dans le dossier docs, n'utilise jamais HTML.
Nella cartella docs non usare mai HTML.
In de map docs nooit HTML gebruiken.
В папке docs никогда не используй HTML.
testsフォルダでは絶対にモックを使わないでください。
在 tests 目录里绝对不要使用 mock。
Except in scripts/, never use print.
Außer in scripts/ nie print verwenden.
Salvo en scripts/, nunca uses print.
Exceto em scripts/, nunca use print.
Sauf dans scripts/, n'utilise jamais print.
Tranne in scripts/, non usare mai print.
Behalve in scripts/ nooit print gebruiken.
Кроме scripts/, никогда не используй print.
scripts/以外ではprintを使わないでください。
""".strip().splitlines()

ABOUT_ONE_PLACE = """
In the header never show the logo.
In this file never use classes.
In tests/test_cart.py never mock the database.
In src/app.ts always return null when the cart is empty
in tests/ the database is never mocked, why?
In the tests folder it never finds the file.
In tests/ it always fails
For the tests in tests/ always run npm test, then fix the failing ones
""".strip().splitlines()

WITH_AN_EXCEPTION_AFTER = """
All functions need type hints. Tests are exempt.
Always add type hints. Tests are exempt.
Never use print. The scripts folder is an exception.
Always write docstrings. This doesn't apply to tests.
Immer Typen angeben. Tests sind ausgenommen.
Nie print verwenden. Das gilt nicht für Skripte.
Nunca uses print. Los scripts son la excepción.
Nunca use print. Os scripts são exceção.
N'utilise jamais print. Les scripts font exception.
Non usare mai print. Gli script sono esclusi.
Gebruik nooit print. Scripts zijn uitgezonderd.
Никогда не используй print. Скрипты — исключение.
絶対にprintを使わないでください。scriptsは例外です。
绝对不要使用 print。scripts 除外。
Never use print. In scripts it's fine.
Never use print. Only in scripts/.
Nie print verwenden. Nur in Skripten.
""".strip().splitlines()


@together("message", WITH_THE_PLACE_FIRST)
def test_a_rule_that_begins_with_its_folder_or_exception_is_a_standing_instruction(message: str) -> None:
    (statement,) = read_statements(message).statements
    assert statement.is_standing
    assert statement.text == message


@together("message", ABOUT_ONE_PLACE)
def test_what_begins_with_a_file_or_reports_of_a_folder_is_no_statement(message: str) -> None:
    assert read_statements(message).statements == ()


@together("message", WITH_AN_EXCEPTION_AFTER)
def test_a_sentence_that_limits_the_rule_before_it_belongs_to_it(message: str) -> None:
    (statement,) = read_statements(message).statements
    assert statement.text == message


OF_ONE_CHOICE_OR_OF_THE_PRODUCT = """
Decision: getters never throw, they return None. Reason: hooks run before validation.
Decision: prices stay int cents.
Entscheidung: Getter werfen nie, sie geben None zurück. Grund: Hooks laufen vor der Validierung.
Decisión: los getters nunca lanzan, devuelven None.
Decisão: os getters nunca lançam, retornam None. Motivo: os hooks rodam antes da validação.
Décision : les getters ne lèvent jamais, ils renvoient None.
Decisione: i getter non sollevano mai eccezioni.
Besluit: getters gooien nooit, ze geven None terug.
Решение: геттеры никогда не бросают исключений.
決定：ゲッターは例外を投げず、Noneを返す。
决定：getter 从不抛异常，返回 None。
I'd rather go with SQLite than Postgres here, since the tills are offline.
I prefer pathlib over os.path here.
Aquí prefiero SQLite a Postgres.
Aqui prefiro SQLite em vez de Postgres.
Ici je préfère SQLite à Postgres.
from now on the cart keeps guests' items for 30 days
From now on the checkout sends a receipt by mail.
from now on the app should remember the last tab
Ab jetzt behält der Warenkorb die Artikel 30 Tage.
A partir de ahora el carrito guarda los artículos 30 días.
A partir de agora o carrinho guarda os itens por 30 dias.
Désormais le panier garde les articles 30 jours.
D'ora in poi il carrello conserva gli articoli 30 giorni.
Vanaf nu bewaart het winkelmandje de artikelen 30 dagen.
Отныне корзина хранит товары 30 дней.
今後はカートは商品を30日間保持します。
以后购物车保留商品30天。
""".strip().splitlines()

OF_THE_PROJECT = """
I prefer pathlib over os.path in this repo.
no, we use vitest here, not jest
From now on the log level is warn, not debug
From now on the agent asks before it commits.
From now on the migrations live in db/changes.
From now on our API returns problem+json errors.
From now on all endpoints return problem+json errors.
From now on the tests use pytest fixtures.
""".strip().splitlines()

REFUSED_WITH_A_LIMIT = """
No. That belongs in a plugin, the core must not get options for rates.
No, the cart must not know discounts. Plan a change of the retry module only.
No. The core must stay free of dependencies.
no, retries have to live in the client
No, we cannot add a database to the tills.
Nein. Das gehört in ein Plugin, der Kern darf keine Optionen für Raten bekommen.
No. Eso va en un plugin, el núcleo no debe tener opciones de tarifas.
Não. Isso é do plugin, o core não pode ter opções de taxa.
Non. Ça va dans un plugin, le cœur ne doit pas avoir d'options.
No. Va in un plugin, il core non deve avere opzioni.
Nee. Dat hoort in een plugin, de core mag geen opties krijgen.
Нет. Это для плагина, ядро не должно иметь опций.
いや、コアにはオプションを追加してはいけない。プラグインにして。
不，核心不能有速率选项，放到插件里。
""".strip().splitlines()

REFUSED_WITHOUT_ONE = """
No, it must be a bug in the parser.
No, that must be wrong.
No, you must not stop yet.
No, the button must be blue.
No, the test must fail first.
No, there must be another way.
No, I must have the wrong version.
no, the page must not reload
No, users must not see the price.
No, we can't use it here.
Decision: go with option 2.
""".strip().splitlines()


@together("message", OF_ONE_CHOICE_OR_OF_THE_PRODUCT)
def test_a_decision_a_choice_here_and_what_the_product_does_are_found_by_relevance_alone(message: str) -> None:
    (statement,) = read_statements(message).statements
    assert not statement.is_standing


@together("message", OF_THE_PROJECT)
def test_a_habit_or_place_of_the_project_is_a_standing_instruction(message: str) -> None:
    (statement,) = read_statements(message).statements
    assert statement.is_standing


def test_a_decision_has_its_labelled_reason() -> None:
    message = "Entscheidung: Getter werfen nie. Grund: Hooks laufen vor der Validierung."
    assert [statement.text for statement in read_statements(message).statements] == [message]


@together("message", REFUSED_WITH_A_LIMIT)
def test_a_limit_that_the_user_gives_with_a_refusal_is_found_by_relevance_alone(message: str) -> None:
    (statement,) = read_statements(message).statements
    assert not statement.is_standing


@together("message", REFUSED_WITHOUT_ONE)
def test_a_guess_or_a_detail_of_the_screen_after_a_refusal_is_no_statement(message: str) -> None:
    assert read_statements(message).statements == ()


BESIDE_A_PASTE = r"""
From now on use pnpm instead of npm.\n\nI get this:\n\n```npm ERR! missing script: test```
why is it slow?\n```python\nfor x in xs:\n    print(x)\n```\nAnd remember, no pandas in this project.
Traceback (most recent call last):\n  File "a.py", line 3\nKeyError: 'b'\n\nand remember: never catch bare Exception
Ab jetzt pytest -q verwenden.\n\nFehler:\n```\nE   AssertionError\n```
A partir de ahora usa ruff.\n\nMe sale esto:\n```\nblack: not found\n```
désormais utilise ruff\n\n```\nblack: not found\n```
always use our Money class, here is the file:\n\n```ts\nclass Money {}\n```
a partir de agora use o ruff\n\n```\nblack: not found\n```
今後は必ず pnpm を使ってください。\n\n```\nnpm ERR! missing script\n```
从现在开始用 pnpm。\n\n```\nnpm ERR! missing script\n```
""".strip().splitlines()


@together("message", BESIDE_A_PASTE)
def test_an_explicit_form_in_the_users_own_paragraph_beside_a_paste_is_a_standing_instruction(message: str) -> None:
    statements = read_statements(message.replace("\\n", "\n")).statements
    assert [statement.is_standing for statement in statements] == [True]


PERHAPS_PASTED = r"""
12:00:01 ERROR no route\n12:00:02 INFO retry\nfrom now on use the second host of the list
# Guide\n\n## Rules\n\nRemember: use tabs in every file.
fix this\n\n12:00:01 ERROR no route\n12:00:02 INFO retry\n\nNever call setState in a render function.
```\nok\n```\nPrefer composition over inheritance.
""".strip().splitlines()


@together("message", PERHAPS_PASTED)
def test_what_may_be_part_of_a_paste_is_no_standing_instruction(message: str) -> None:
    assert not any(statement.is_standing for statement in read_statements(message.replace("\\n", "\n")).statements)


@together(("message", "stated"), [
    ("Ok so 3 things: 1) fix the typo 2) from now on never use var in js 3) run the linter", "never use var in js"),
    ("two things: 1. fix the crash in cart.py 2. from now on log with structlog, not print", "structlog, not print"),
    ("zwei Dinge: 1) Tippfehler beheben 2) ab jetzt nur noch const verwenden", "nur noch const verwenden"),
    ("dos cosas: 1) arregla el error 2) a partir de ahora usa pnpm", "usa pnpm"),
    ("deux choses : 1) corrige la faute 2) désormais utilise pnpm", "utilise pnpm"),
    ("duas coisas: 1) corrige o erro 2) a partir de agora use pnpm", "use pnpm"),
    ("2つあります: 1) タイポを直して 2) 今後は必ずpnpmを使ってください", "pnpmを使ってください"),
    ("两件事：1) 修复错别字 2) 以后一律用 pnpm", "一律用 pnpm"),
])  # fmt: skip
def test_each_item_of_a_list_within_a_line_is_a_sentence_of_its_own(message: str, stated: str) -> None:
    (statement,) = read_statements(message).statements
    assert statement.text.endswith(stated)
    assert not any(number in statement.text for number in ("1", "3"))


def test_requests_to_remember_and_lists_within_a_line_are_read_in_linear_time() -> None:
    def repeated(text: str) -> bool:
        return takes_linear_time(lambda count: partial(read_statements, text * count), 15)

    assert all(map(repeated, ("remember that, ", "please and ", "add to my memory ", "1) a ", "覚えて、", "记住，")))


def test_words_of_somebody_else_are_found_in_linear_time() -> None:
    def repeated(text: str) -> bool:
        return takes_linear_time(lambda count: partial(stated_words, text * count), 100)

    assert all(map(repeated, ("the customer he she ", "mail from ", "さん", "客户", "ticket:\n", "a:\n\n", "an a ")))


@together(
    "pasted",
    [
        "```\nnever use tabs\n```",
        "> never use tabs",
        "<command-name>rules</command-name><command-args>never use tabs</command-args>",
        "12:00:01 ERROR remember: never use tabs\n12:00:02 INFO from now on never use tabs",
        "You are a senior reviewer.\n" + "Never use tabs. Remember: always check the width of each line.\n" * 6,
        "From: Ann <ann@example.org>\nTo: Bob <bob@example.org>\nSubject: tabs\n\nFrom now on we never use tabs.",
        '"""\nNever use tabs.\nFrom now on always use spaces.\n"""',
        "error TS2345: not assignable\n  hint: never use tabs in a template",
        "Ticket OPS-3\nDescription: Never use tabs.\nReporter: ann\nStatus: open",
        '"whoever edits a table must never use tabs. always. and stop asking. spaces are fine"',
        "Severity\tCode\tDescription\tFile\nError\tCS1715\tNever use tabs here.\tCart.cs",
    ],
)
def test_pasted_text_is_not_the_users_word(pasted: str) -> None:
    words = own_words(f"see this\n\n{pasted}")
    assert len(words) == len(f"see this\n\n{pasted}")
    assert "see this" in words
    assert "tabs" not in words


HEADED_BY_ITS_SOURCE = r"""
mypy: error: Function is missing a return type annotation  [no-untyped-def]\nnote: all functions must be annotated
pytest: PytestUnknownMarkWarning: Unknown pytest.mark.slow - register all custom marks in pyproject.toml
CI: ✖ graphql-inspector: Fields must be marked @deprecated for 30 days before removal
WARNING:  there is already a transaction in progress\nsquawk: require-index: Indexes must be created CONCURRENTLY
tsc: error TS7006: Parameter 'x' implicitly has an 'any' type.\nhint: parameters must be typed explicitly
hadolint DL3008: Pin versions in apt get install
mysql: Warning 1265 Data truncated for column 'price'. Los importes deben declararse como DECIMAL(12,4).
[ioredis] Unhandled error event: connect ECONNREFUSED\nredis 7 notice: maxmemory-policy must be set to noeviction
pygame 2.6.0 (SDL 2.28.4, Python 3.12.1)\nWarning: fonts must be loaded with Font(None) before set_mode()
terraform 1.9.2 (linux_amd64)\nWarning: provider versions must be pinned in required_providers
src/app.py:12:5: E722 do not use bare 'except'\nFound 1 error. Bare excepts must name the exception.
django.core.exceptions.ImproperlyConfigured: The SECRET_KEY setting must not be empty.
# league_data.py\n# NOTE: every new season must be generated with random.seed(42)\ndef create_season(n_teams):
nginx.conf on the box:\n# ops: client_max_body_size must not exceed 20m
nginx log: upstream must use keepalive connections
-- schema.sql\n-- every table must have created_at\nCREATE TABLE users (id int);
panic: runtime error: maps must be initialized before use
the console shows: assets must be smaller than 244 KiB
die Konsole zeigt: Keys müssen eindeutig sein
Fehler vom Compiler: CS8618 Non-nullable property\nHinweis: alle Eigenschaften müssen initialisiert werden
Erro do prisma: P2002 Unique constraint failed\ndica: campos únicos devem ser normalizados antes do insert
salida de psql: ERROR las tablas deben tener clave primaria
la console affiche : les clés doivent être uniques
Errore di prisma: P1001 Can't reach database server\nsuggerimento: le connessioni devono usare il pool
uitvoer van eslint: imports moeten gesorteerd zijn
TS2345: Argument of type 'string' is not assignable.\nзаметка из tsconfig: должен быть включён noUncheckedIndexedAccess
ビルドログ：WARN 画像は必ず WebP にしてください
网关日志：WARN 请求头缺少 X-Trace-Id，所有内部调用必须携带 X-Trace-Id
Dec  3 09:11:02 till-1 app[231]: clients must always send X-Trace-Id
web-1  | clients must always send X-Trace-Id\nweb-1  | ready
I1203 09:11:02.123456       1 main.go:12] clients must always send X-Trace-Id
""".strip().splitlines()

UNDER_A_LABEL_OF_THE_USER = r"""
Rule: always use pnpm
Note: never touch legacy/
PS: from now on answer in English
eslint: please turn off no-console everywhere
eslint: bitte überall no-console abschalten
mypy: use strict mode for new modules
CI: always run the linters first
CI: the linters run before the tests
docker: I want multi-stage builds
utils.py: use snake_case everywhere
utils.py:\n- use snake_case everywhere\n- no globals
# utils.py\nuse snake_case everywhere
src/app.ts: remove the console.log\nsrc/db.ts: all queries must be parameterised
Error handling:\nalways return problem+json\nnever swallow exceptions
Error codes: E1001 for auth failures
Log levels: INFO for requests, ERROR for faults
Log output: keep it short
ES2022: use it as the target
Python 3.12: match statements are allowed
Node 20.11.0\nNote: pnpm 9 only
Wichtig: immer pnpm verwenden
Fehlermeldungen: immer auf Deutsch
Errores:\n- siempre en español\n- nunca muestres la traza
Mensagens de erro: sempre em português
Messages d'erreur : toujours en français
Messaggi di errore: sempre in italiano
Foutmeldingen: altijd in het Nederlands
Ошибки: всегда возвращай код ответа
エラーメッセージ：必ず日本語にすること
错误处理：\n1. 一律返回统一格式\n2. 不要打印堆栈
""".strip().splitlines()


@together("block", HEADED_BY_ITS_SOURCE)
def test_a_block_that_is_headed_by_its_source_is_not_the_users_word(block: str) -> None:
    request = "Fix the sidebar, it is too wide."
    message = f"{request}\n\n{block}".replace("\\n", "\n")
    words = stated_words(message)
    assert words.strip() == request
    assert len(words) == len(message)


BELOW_A_REQUEST = r"""
rivanna docs:\n* Jobs longer than 72 hours must use the `standard` partition.\n* /scratch is purged after 90 days.
CONTRIBUTING.md of upstream:\n\nPrerequisites\n  Use pnpm 9 or later\n  Run `pnpm dev` for a hot reload session
Nominatim usage policy\nNo heavy uses. Never call the geocoder more than once per second.
GOV publication checklist\n\n1. Tables need a caption and a source line.\n2. Alt text for each chart.
notes from the workshop\n\n1 screens must not exceed 100 columns\n2 no blinking
#ops yesterday:\nNever restart the queue during business hours. Use the maintenance window.
just got this from accounting\nAll invoices must be archived for ten years.
ChatGPT:\nHere is what I'd recommend. Keep every controller under 100 lines.
Hello team,\n\nafter the audit we agreed on this. Refunds above 500 EUR need a second approval.\n\nKind regards,\nMarion
ben 9:41 AM\nFeature branches live at most three days.
commit 4f2a91c\nAuthor: Ida <ida@example.com>\n\n    Migrations are squashed every release.
SHOP-1412 Export of orders\nAssignee: Kim\nThe export has to finish within 30 seconds.
Security\n--------\nTokens have to be stored in the keychain.
Terms of Service, section 5\nAPI keys may not be shared. Requests are limited to 10 per second.
launchdarkly warn: flag keys must be kebab-case
remote: Large files detected. Files over 50 MB must be tracked with Git LFS.
The archive is rotated every night and then\ncompressed with zstd. Archives older than\nninety days are removed.
The device shall sleep after 30 seconds. The wake-up time shall not exceed 50 ms.
Datenschutzrichtlinie der Hochschule\nPersonenbezogene Daten dürfen nicht protokolliert werden.
Nachricht vom Chef: Angebote gelten immer 14 Tage.
Guide de sécurité de l'ANSSI\nLes identifiants de session expirent après 15 minutes.
Política da Play Store: permissões são pedidas somente no momento do uso. Apps que não cumprirem serão removidos.
Documentación del banco\nLas claves deben guardarse cifradas. El certificado dura un año.
Parere del legale (mail di ieri): i font vanno ospitati in locale. Cookie solo dopo il consenso.
Uit het personeelshandboek:\nWachtwoorden moeten elk jaar worden gewijzigd.
Из регламента поддержки:\nп. 4. Ответ клиенту отправляется в течение одного рабочего дня.
デザインガイドライン 第3版\n・画像の幅は1200ピクセル以下とする。
实验室服务器使用须知\n1. 训练日志统一写入 runs/tensorboard\n2. 每人最多占用两张卡
GitLab 机器人：\n❌ 合并请求标题必须带上任务编号
""".strip().splitlines()

OWN_BELOW_A_REQUEST = r"""
rules:\n- Use tabs for indentation.\n- no semicolons
My requirements:\n1. The tool must work without internet access.\n2. Notes are plain files.
Some preferences of mine:\n* Answers are in English.
Please follow these guidelines:\n- Commits are signed.\n- Every change has a test.
Naming guidelines:\n- Private methods start with an underscore.
API docs:\n- Every endpoint has an example.\n- Descriptions are one sentence.
README:\n- The installation section comes first.\n- no badges
Login page:\n- Login attempts are limited to five.
Project rules:\n1. Dates use the user's time zone.
Branch policy:\n- Branches are deleted after merging.
GitHub:\n- Actions are pinned to a commit.
Never change the public API without my approval.
Dates are always shown in ISO format.
Migrations MUST be reversible.
3.12 is our minimum Python version. You can use the new generics.
The build must stay below two minutes. I hate waiting.
Also, dates are in UTC.
We never delete rows. Set deleted_at instead.
secrets must never end up in the repo. use the vault
Regeln für das Projekt:\n- Tabellennamen sind im Singular.
Mes règles :\n- Les commits sont en anglais.
Nunca borramos registros, solo los marcamos.
Regras do projeto:\n- As mensagens de erro são em português.
I log vanno scritti in formato JSON.
afspraken:\n- Teksten staan in het vertaalbestand.
правила:\n- Имена переменных на английском.
コードのルール:\n- コメントは日本語で書く。
""".strip().splitlines()


@together("block", BELOW_A_REQUEST)
def test_text_that_comes_from_a_document_a_sender_or_a_program_is_not_the_users_word(block: str) -> None:
    request = "fix the sidebar, it is too wide"
    message = f"{request}\n\n{block}\n\ncan you do that today?".replace("\\n", "\n")
    words = stated_words(message)
    assert words.split() == [*request.split(), *"can you do that today?".split()]
    assert len(words) == len(message)


@together("own", OWN_BELOW_A_REQUEST)
def test_a_list_or_paragraph_of_the_users_own_below_a_request_is_the_users_word(own: str) -> None:
    message = f"fix the sidebar, it is too wide\n\n{own}".replace("\\n", "\n")
    assert stated_words(message) == message


HANDED_OVER = r"""
bob left this on my PR\n\n | Early returns are preferred here. The function must do one thing.
fix the vouchers. the client mailed:\n\n | No vouchers during the sale. They are never combined.
golint complains about errors.go, fix\n\n | error strings should not be capitalized or end with a newline (ST1005)
Add the approvals. This is how accounting described it:\n\n | Large orders must be approved. Small ones are not.
our limits come from their pages\n\n | docs.critique-labs.ai\n\nLimits: 10 per second. Never call it in a loop.
clean up the merged branches\n\n | From our git handbook (p. 3): Every branch is deleted after the merge.
stop creating summaries, nobody reads them\n\n | Teamlead in the daily notes:\n* the wiki is the single source
do ticket 88\n\n | As a manager I want to export the list.\nAC1 The file name contains the date.
""".strip().splitlines()

NOT_HANDED_OVER = r"""
hi\n\nAlways use tabs in this repo. Never use spaces.
fix this\n\nGit workflow:\nFeature branches must be rebased onto develop. Merge commits are not allowed.
add logging\n\nLogging in this project is done with structlog. The print function must not be used anywhere.
rename the module\n\nDeployment notes from me:\nWe deploy only on Tuesdays. Hotfixes must be approved.
""".strip().splitlines()


@together("message", HANDED_OVER)
def test_text_below_a_request_that_hands_it_over_is_not_the_users_word(message: str) -> None:
    request, _, block = message.replace("\\n", "\n").partition(" | ")
    assert stated_words(request + block).strip() == request.strip()


@together("message", NOT_HANDED_OVER)
def test_rules_for_this_project_below_a_request_are_the_users_word(message: str) -> None:
    text = message.replace("\\n", "\n")
    assert stated_words(text) == text


INTRODUCED = r"""
QA sheet, week 3, by the agency:\n\n | Never use inheritance. Prefer composition.\n\n | sounds a bit dogmatic, no?
this was in the old space:\n | Never store sessions in memory. Use Redis.\n\n | ignore that for now, fix the login page
Legacy system, chapter 4\n\n | Keep PRs small. Reviewers must respond within a day.\n\n | can you measure ours?
Lastenheft, Anhang 2\n\n | Protokolle bleiben 90 Tage. Zugriffe dokumentieren.\n\n | was heißt das für uns?
Esto es lo que pone el curso:\n | Usa siempre yarn en lugar de npm.\n\n | ¿nos vale o no?
别的团队的交接说明：\n | 不要碰 scripts 目录。\n | 你觉得这条对我们有用吗？
社内レビュー会（抜粋）\n | ・全体: ユーザ目線で書くこと。\n | どう返事すればいい？
این متن را از سایت دیگر کپی کردم:\n | همیشه فقط یک پروژه فعال باشد.\n | لطفا فقط توضیح بده
two things:\n | - never merge without approval\n | - squash always\n\n | nobody decided that, just summarise it
""".strip().splitlines()

ADOPTED = r"""
4 more issues:\n- we won't be using docker\n- use ollama\n\nshould they be .mdc files?
What I care about:\n- small commits\n- no new dependencies\n\nStart with the router.
tournament format:\nplayers are always ranked by average\n\ncome up with a todo list
Some context first:\n- we deploy from main only\n- never squash\n\nnow fix the flaky test
QA sheet, week 3, by the agency:\n\nNever use inheritance.\n\nplease follow this from now on
Zum Export noch:\n- Trennzeichen immer Semikolon\n\nund jetzt die Tests bitte
Para los commits:\n- siempre en inglés\n\nahora haz el login
关于提交：\n一律用英文。\n\n先修复登录
Backend: FastAPI\nFrontend: Svelte, never React\n\nset up the repo
""".strip().splitlines()


@together("message", INTRODUCED)
def test_text_between_its_introduction_and_the_last_words_is_not_the_users_word(message: str) -> None:
    opening, *text, last = message.replace("\\n", "\n").split(" | ")
    words = stated_words("".join((opening, *text, last)))
    assert words.split() == [*opening.split(), *last.split()]


@together("message", ADOPTED)
def test_text_that_its_introduction_or_the_last_words_adopt_is_the_users_word(message: str) -> None:
    text = message.replace("\\n", "\n")
    assert stated_words(text) == text


SHOWN = r"""
review comment: please always use early returns. We never use else after return here.
found this on a forum: Never hardcode secrets. You should always use variables of the environment.
customer feedback on the export: you should always include the header row, never use semicolons
explain this text: All commits must be signed. Never force-push to a shared branch.
look at this:\n\n## Setup\n\nFrom now on we use pnpm. Never edit files in dist/.
can you summarize this?\n\n- Always use single quotes\n- Never commit generated files
I got this mail\n\nHi team,\nfrom now on please always use the new endpoint.\n\nplease answer it
Always close the connection yourself. Never trust the pool.\n\nwhat do you think about this?
- Never commit generated files\n- Always run the formatter\n\n^ this is from the contributing guide
got this on my PR from dana, what does she mean?\n\nPlease avoid default exports. We always use named exports.
the style guide has this part, what's the reasoning behind it?\n\nNever name a parameter arguments.
anna: from now on always use the new API\nbob: ok\nanna: we no longer support v1
Never use UUIDs as a key. Always use a sequence.\n\nis this still true?
was meint der Reviewer damit?\n\nWir importieren immer explizit, sonst findet man nichts wieder.
No usamos más XML. Toda integración debe ser en JSON.\n\n¿qué opinas?
j'ai reçu trois remarques sur ma MR\n\n1. On attrape toujours le type le plus précis, jamais Exception
これを見て:\n\n必ずテストを実行してください。生成ファイルは絶対にコミットしないでください。
看看这个：\n\n一律使用单引号。不要提交生成的文件。
""".strip().splitlines()

OWN_BESIDE_QUESTIONS = r"""
read this carefully: never touch anything under vendor/
as I said: always use pnpm
check this error\nnever use any in this repo
review this\n\nnever commit without tests
can you look into the flaky checkout test?\n\nAlso, from now on always use fake timers in tests.
what does this function do?\n\nremember: never use default exports in this repo.
got the review. from now on always use named exports
4 more issues:\n- we never use docker\n- always use ollama\n\nshould they be documented?
""".strip().splitlines()


@together("message", SHOWN)
def test_text_that_is_to_be_explained_answered_or_judged_is_not_the_users_word(message: str) -> None:
    assert not read_statements(message.replace("\\n", "\n")).statements


@together("message", OWN_BESIDE_QUESTIONS)
def test_a_rule_beside_a_question_or_an_introduction_is_the_users_word(message: str) -> None:
    assert any(statement.is_standing for statement in read_statements(message.replace("\\n", "\n")).statements)


def test_pasted_text_is_found_in_linear_time() -> None:
    def repeated(text: str) -> bool:
        return takes_linear_time(lambda count: partial(stated_words, f"ok\n\n{text * count}"), 100)

    assert all(map(repeated, ("API docs:\nA b.\n\n", "Terms of use\n\n", "Hi all,\n\n", "A b. C d.\n\n", "x (y\n")))


@together("label", UNDER_A_LABEL_OF_THE_USER)
def test_what_is_under_a_label_of_the_user_is_the_users_word(label: str) -> None:
    pasted = "Traceback (most recent call last):\nKeyError: 'x'"
    own = label.replace("\\n", "\n")
    assert stated_words(f"{pasted}\n\n{own}").strip() == own
    assert stated_words(f"{own}\n\n{pasted}").strip() == own


@together(
    "message, own",
    [
        (
            "error: cannot rebase: You have unstaged changes.\n我想刪除這條 commit，要如何做",
            "我想刪除這條 commit，要如何做",
        ),
        ("TS2345: Argument is not assignable.\nReplace all uses of it.", "Replace all uses of it."),
        ("mypy: error: Missing annotation\nI want all of them annotated.", "I want all of them annotated."),
    ],
)
def test_below_printed_lines_the_users_own_voice_goes_on(message: str, own: str) -> None:
    assert stated_words(message).strip() == own


@together("introduction", ["I get this error:", "Ich bekomme diesen Fehler:", "La salida:", "次のエラー："])
def test_below_the_introduction_of_output_one_line_is_not_the_users_word(introduction: str) -> None:
    printed = "The record in table Mapping already exists, keys must be unique"
    request = "Use the other table instead, please."
    words = stated_words(f"{introduction}\n\n{printed}\n\n{request}")
    assert words.split("\n") == [introduction, "", " " * len(printed), "", request]


@pytest.mark.parametrize(
    "message",
    [
        "Call them `till_total` or `till_tax`; only in the CLI allow `-` (in an early step we replace `-` with `_`).",
        'Engines with "-" in their name stay where they are in their own module, and "_" stays allowed for all others',
    ],
)
def test_what_is_between_two_short_quotations_is_the_users_word(message: str) -> None:
    assert own_words(message) == message


@together(
    "message", ["Reviews: 2 people per PR", 'Branches: "main" is the release branch', "Tags: [WIP] stands for drafts"]
)
def test_a_label_before_a_value_and_words_is_the_users_word(message: str) -> None:
    assert own_words(message) == message


@together(
    "line",
    [
        "replicas: 3",
        "port: 8080 # of the web",
        'name: "till"',
        '"note": "two words more",',
        "Tests: 3 failed, 12 passed",
    ],
)
def test_a_line_with_a_key_and_its_value_is_pasted(line: str) -> None:
    assert own_words(line).strip() == ""


def test_below_what_an_editor_puts_before_it_a_message_is_the_users_word() -> None:
    context = "# Context from my IDE setup:\n\n## Open tabs:\n- never.py: src/never.py\n\n## My request for Codex:\n"
    words = own_words(f"{context}Commit before every update.")
    assert words.strip() == "Commit before every update."
    assert len(words) == len(context) + len("Commit before every update.")


ONCE = [
    "このクラスだけ変更して、他のファイルには触らないで",
    "このメソッドだけ直してほしい、テストは書かないで",
    "solo cambia cart.py, no toques nada más",
    "únicamente modifica prices.py, no crees archivos nuevos",
    "modifie seulement le titre, n'écris pas de tests",
    "nur die Überschrift ändern, keine Tests schreiben",
    "só corrige esse teste, não crie arquivos",
    "只改这个函数，不要写测试",
    "Change the default port from 3000 to 8080 from now on in config.js",
    "Set the timeout to 30 from now on in settings.py",
    "i want the till to print faster, from now on receipts should be printed in batches",
    "please write an agents.md with rules like: always run tests, never commit secrets",
    "create a CLAUDE.md with rules such as: never push to main, always write tests",
    "npm WARN deprecated lodash@3: please use lodash@4 instead from now on\n\nwhats that",
    "DeprecationWarning: always use datetime.now(timezone.utc)\n\nhow do i silence that",
    "[vite] warning: please use import.meta.env from now on\n\nwhat does it want",
    "Requirements:\n* Always send a receipt by mail\n* Guests may pay with cash only\n\ngo",
    "Acceptance criteria\n- The cart never shows negative totals\n- Always round half up",
    "Anforderungen:\n- Beträge immer kaufmännisch runden\n- Nie negative Preise anzeigen",
    "Critères d'acceptation :\n- Toujours arrondir au centime",
    "Requisitos:\n- Nunca mostrar precios negativos",
    "要件:\n- 合計は必ず四捨五入してください",
    "需求：\n- 永远不要显示负价格",
    "You are a senior engineer. Always think step by step. Never hallucinate.",
    "Du bist ein erfahrener Entwickler. Denke immer Schritt für Schritt.",
    "always happy to help haha",
    "From now on I'm on vacation haha",
    "From now on you are a pirate. tell me about requests",
    "ab jetzt bist du ein Pirat",
    "à partir de maintenant tu es un pirate",
    "a partir de ahora eres un pirata",
    "a partir de agora você é um pirata",
    "remember that you broke this yesterday",
    "denk dran dass du das gestern kaputt gemacht hast",
    "recuerda que rompiste esto ayer",
]

LASTING_IN_THE_SAME_SHAPE = [
    "a partir de ahora no toques nada más que lo que te pido",
    "from now on you are only allowed to change files in web/",
    "from now on the default port is 8080",
    "npm is deprecated here, please use pnpm instead from now on",
    "Some rules:\n- always run the tests\n- never push to main",
    "remember that you may not edit the generated files",
    "désormais écris d'abord les tests, puis le code",
    "以后都先写测试，再写代码",
]


@together("message", ONCE)
def test_one_thing_a_paste_a_ticket_a_role_and_small_talk_are_no_standing_instruction(message: str) -> None:
    assert not any(statement.is_standing for statement in read_statements(message).statements)


@together("message", LASTING_IN_THE_SAME_SHAPE)
def test_a_rule_in_the_shape_of_a_one_off_is_a_standing_instruction(message: str) -> None:
    assert any(statement.is_standing for statement in read_statements(message).statements)
