"""Words that do not tell one subject from another: function words of ten languages, and words of any work on software.

Pure. A word that two texts share is evidence that they have a subject in common only if it is not one of these.
"""

import re
from collections.abc import Collection
from functools import cache
from typing import NamedTuple

from sidecar.core.lazy_regex import lazy_regex
from sidecar.core.terms import STOP_WORDS, count_terms, query_terms, stem

_ENGLISH = """
a about above across actually after again against ago all almost already also although always am among an and
another any anybody anymore anyone anything anyway apart are around as aside ask at away back basically be became
because become been before behind being below besides best better between beyond bit both but by came can cannot
case certain certainly clear clearly come comes coming completely concerning correct correctly could couldn
currently definitely did didn different directly do does doesn doing don done down due during each early easily easy
either else end enough entire entirely especially etc even eventually ever every everybody everyone everything
everywhere exactly except far few finally fine first for former forward from full fully further gave generally get
gets getting give given gives giving go goes going gone good got great had hadn half happen happened happens hard
hardly has hasn have haven having he hello help helpful helps hence her here hers herself hey hi him himself his
hopefully how however i idea if immediately important in indeed inside instead into is isn it its itself just keep
keeps kept kind know known knows last late later latest least left less let lets like likely little ll long longer
look looking looks lot lots made mainly make makes making many may maybe me mean means meant might mine more
moreover most mostly much must mustn my myself near nearly necessary need needed needs neither never nevertheless
new next nice no nobody none nor normally not note nothing now nowhere obviously of off often oh ok okay old on once
one ones only onto or order other others otherwise ought our ours ourselves out outside over overall own part
particular particularly past per perfect perfectly perhaps place please plus point possible possibly prefer
preferably present previous previously probably properly put quick quickly quite rather re real really recent
recently regarding right same sample saw say saying says second see seem seems seen sense several shall she should
shouldn show showed showing shown shows similar simple simply since six so some somebody somehow someone something
sometimes somewhat somewhere soon sorry sort specific still stuff such suppose supposed sure take taken takes taking
talk tell ten thank thanks that the their theirs them themselves then there therefore these they thing things think
third this those though thought three through throughout thus till time times to today together told tomorrow too
took total totally toward towards tried tries truly try trying two under understand understood unless until up upon
us use used useful uses using usual usually various ve very via wait want wanted wants was wasn way ways we well
went were weren what whatever when whenever where whether which while who whoever whole whom whose why will wish
with within without won wonder word words work worked working works would wouldn write writes writing wrong wrote
yes yesterday yet you your yours yourself zero
"""

_WORK = """
accept action active add added adding addition additional agent ai adjust adjusted allow allowed answer app apply
approach assistant attempt available bad base basic behavior behaviour bug bugs build built button call called calls
cause change changed changes changing check checked checking clean code coding command comment commit complete
completed component config configuration configure confirm consider contain contains content context continue copy
count create created creates creating current data date debug default define delete deleted detail details develop
developer development directory disable display doc docs document documentation edit enable ensure entry environment
error errors example exist existing exists expect expected explain explanation fail failed failing fails failure
false feature features field file files find fix fixed fixes fixing folder follow following form format found
function functionality functions general generate generated goal guide handle happening idea image implement
implementation implemented implementing implements improve improved improvement include included includes info
information initial input insert inspect install instruction instructions issue issues item items job key language
level library line lines link list load loading local log logic logs main manage merge message messages method
methods mode model module move moved multiple name named names number object open option options original output
package page pages parameter parse path plan plans problem problems process program project projects prompt provide
pull push question questions read ready reason refactor refer reference related release remaining remember remove
removed removes removing rename replace repo repository request requests require required requirement requirements
requires response result results return returns review rewrite root rule rules run running runs save screen script
section select send separate server service set setting settings setup show single site size solution solve source
specify start started starting starts state status step steps stop store string structure style success successfully
suggest summary support switch system tab table task tasks terminal test tested testing tests text title todo tool
tools track true type types undo unit update updated updates updating user users usage value values variable verify
version versions view visible warning warnings web website
"""

_CHATS = """
able analyze appear appears area areas array attached auto automatically begin begins big bigger block blocks bottom
box break breaks choose class classes client clients close closed codebase constant constants controls convert core
cover custom days dependencies dependency description discuss doesnt drop duplicate duplicates editor effect element
elements empty engineer engineering enter event events expanded export exported exports extra extract extras feel
feeling feels figure final finishing fit focus future global group groups head high id ids import imported importing
imports index init instance integration interface internal label labels leave leaving limit limits localhost location
loop management manager manually mark match missing noticed null operations optional patterns post potential press
proceed properties property propose public record records reduce reduced report reports resolve resource resources
said search searches session sessions share shared skill skills small stack stage standardize stuck sub tag tags top
turn undefined validation var vars week weeks window windows wrap wrapper
claude cursor codex copilot chatgpt specstory src github
"""
"""Words of no subject that users of at least 12 of 74 repositories type to their agents, and their other forms."""

_FRAMES = """
allow permit require need necessary use apply handle give contain include consist follow form format pattern way kind
type case set amount involve concern regard relate accordingly correspond appropriate provide ensure call happen
occur perform carry pass place locate take leave remain keep belong stay come live exist appear mean existing support
whole entire overall simply purely strictly explicitly exclusively current single alone request task limit declare state
consider treat instance language write bad practice
"""

_EVERYDAY = """
ability accomplish achieve act adapt advice affect afterwards age agree agreed ah ahead aim alone along alright amazing
architecture assisted attention avoid avoiding background balance beautiful believe belong benefit blessed body book
booking brand bring brings btw buddy bump bunch business camera capture card care center challenge chance chat child
city collection color combined community company confident connecting connection contact conversation cook cool corner
country couple course creation creative cross curious cut dark deal decide decision dedicated deep design determine
difference difficult discover discovery drawing easier eat efforts escape experience explore expression eyes face
family feedback filling food force forever forget free fresh friends fun gain game gather generation gonna gotten grab
grow guess hand health hide history hit hold home hoping host hours house human imagine impact incorporate increase
individual inspiration interesting involved join jump kill kinda knowledge large leading learn life light listening lit
live loss lost love magic major matter max meet memory mention mess minutes money month nature network night nope
normal offer online organization organize papers parent partner pay people performance person personal perspective
photo pic pick picture pieces platform play practices prepare pretty progress promise props purpose quality raise ran
reach reality realized received recognize recommend recommendation reflect refresh regular relationships rely remind
represents research reset rest road role room safe schools self sent serve shape short shot side sign situation slow
smaller solid sounds space speak special spotted spread stay stick story strategies street strong student studio succeed
successful suggestions super symbol teach team tiny tips touch training treat trouble trust tuning tweak unexpected
unique vibe video virtual visual wanna water welcome win wise world worried worth wow yeah year zone
"""
"""Words of everyday talk: in at least 4 of 10 long conversations between friends, and typed to agents in at least 3 of
74 repositories. Alone they do not tell one subject from another.
"""

_FORMATS = """
api cfg conf cpp css csv env exe gif gz html http https ico ini io ipynb java jpeg jpg js json jsx kt lock lua md mdx
mjs pdf php png py rb rs scss sh sql svg swift toml ts tsx txt url vue www xml yaml yml zip
"""

_SPANISH = """
a acerca actual ademas ahi ahora al algo alguien algun alguna algunas alguno algunos alli antes aqui archivo
archivos asi aun aunque bajo bastante bien bueno cada casi claro codigo como con corregir cosa cosas cual cuales
cualquier cuando cuanto cuenta da de debe deben debes deberia decir deja dejar del desde despues dice donde dos
durante e el ella ellas ellos en entonces entre era eran eres es esa esas ese eso esos esta estaba estan estar estas
este esto estos estoy favor forma fue gracias ha haber habia hace hacer haces hacia hago han has hasta hay haz hemos
hola hoy igual incluso ir junto la las le les lo los luego mal manera mas me mejor menos mi mientras mis mismo
momento mucho muchos muy nada ni ningun ninguna no nos nosotros nuestra nuestro nueva nuevo o ok otra otras otro
otros para parece parte pero poco podemos poder podria pon poner por porque primero problema pues puede pueden
puedes puedo que quiero quien quita revisa sea segun ser si sido siempre sin sino sobre solo somos son soy su sus
tal tambien tan tanto te tener tengo tenia ti tiene tienen tienes toda todas todavia todo todos tu tus un una unas
uno unos usa usar vale vamos van varias ver vez vista voy y ya yo
"""

_PORTUGUESE = """
a agora ai ainda alem algo alguem algum alguma algumas alguns ali antes ao aos apenas apos aquela aquele aqui aquilo
arquivo arquivos as assim ate atras bem boa bom cada cade certo codigo coisa coisas com como corrigir cria criar da
dar das de deixa deixe deles depois desde dessa desse desta deste deve devem do dois dos e ela elas ele eles em
enquanto entao entre era eram essa essas esse esses esta estamos estao estar estas estava este estes eu existe faca
faz fazer fica ficou foi foram havia hoje ir isso isto ja la lhe lo logo mais mas me melhor menos mesma mesmo meu
meus minha muito muitos na nada nao nas nem nenhum nessa nesse nesta neste no nos nossa nosso nova novo num numa
nunca o obrigado ok onde os ou outra outras outro outros para parece parte pela pelo pelos per pode podem poder pois
por porem porque posso pouco precisa preciso primeiro problema qual qualquer quando quanto quase que quem quer quero
se seja sem sempre sendo ser sera seu seus sim so sobre sou sua suas talvez tambem tanto te tem temos tenho ter teve
tinha toda todas todo todos tudo um uma umas uns usar vai vamos vez voce voces vou
"""

_FRENCH = """
a afin ai ainsi alors apres as assez au aucun aucune aujourd aussi autre autres aux avant avec avez avoir avons
beaucoup bien bon bonjour bonne ca car ce cela celle celui ces cet cette ceux chaque chez chose choses ci code comme
comment corrige corriger d dans de deja depuis des deux devrait dire doit doivent donc dont du elle elles en encore
enfin ensuite entre es est et etait etant ete etes etre eu eux fais fait faire faites faut fichier fichiers fois
fonction font hui ici il ils j je jour jusque l la le les leur leurs lors lorsque lui m ma mais mal manque me meme
memes merci mes mets mettre mieux moi moins moment mon n ne ni non nos notre nous nouveau nouvelle on ont ou oui par
parce pas passe pendant petit peu peut peux plus plusieurs plutot pour pourquoi pouvez pouvoir premier problem
probleme puis qu quand que quel quelle quelles quels quelque quelques qui quoi rien s sa sans sauf se selon ses seul
seulement si sinon soit sommes son sont sous suis sur t ta tant te tel telle tes toi ton toujours tous tout toute
toutes tres trop tu un une utilise utiliser va vais vas vers veut veux voici voila voir vos votre vous vraiment y
"""

_GERMAN = """
ab aber alle allem allen aller alles als also am an andere anderen anderer anders ans auch auf aus ausser bei beide
beim bereits besser bin bis bist bitte bleiben brauche braucht da dabei dadurch dafur dagegen daher damit danach
dann daran darauf daraus darf darin daruber das dass datei dateien davon davor dazu dein deine dem den denn der
deren des deshalb dessen dich die dies diese diesem diesen dieser dieses dir doch dort du durch eben ein eine einem
einen einer eines einfach einige einmal er erst erste es etwa etwas euch euer fast fehler fur gab ganz gar geben
gegen geht gemacht genau genug gerade gern gibt gut habe haben hast hat hatte hatten hier hin hinter ich ihm ihn
ihnen ihr ihre im immer in ins ist ja jede jedem jeden jeder jedes jetzt kann kannst kein keine keinem keinen keiner
konnen konnte konnten lass lassen leider mach machen macht mal man mehr mein meine meinem meinen meiner mich mir mit
mochte moglich muss mussen musst nach nachdem nicht nichts nie niemals noch nochmal nun nur ob oben oder ohne okay
problem richtig schon sehr sei sein seine seinen seiner seit seite selbst sich sicher sie sind so sodass sofort soll
sollen sollte sollten sondern sonst statt stattdessen um und uns unser unsere unten unter viel viele vielleicht voll
vom von vor wann war waren warum was weg wegen weil weiter welche welcher welches wenig wenn wer werden wie wieder
will wir wird wirklich wo wurde wurden zu zuerst zum zur zwei zwischen
"""

_ITALIAN = """
a abbastanza abbiamo adesso agli ai al alcuni alla alle allo allora altra altre altri altro anche ancora anzi appena
aveva avere bene c che chi ci ciao cio codice coi col come con correggi cosa cose cosi cui da dal dalla dalle dallo
degli dei del della delle dello dentro deve devi devo di dice dire dobbiamo dopo dove due e ecco ed era erano errore
essere fa facciamo fai fare fatto file fino fra gia gli grazie ha hai hanno ho i il in invece io l la le lei li lo
loro lui ma mai male me meglio meno mentre mi mia mie miei mio molto ne negli nei nel nella nelle nello nessuna
nessuno niente no noi non nostra nostro nuova nuovo o ogni ok oppure ora per perche pero piu poco poi possiamo posso
primo problema prossimo puo puoi qua qual quale quali qualche qualcosa quando quanto quasi quella quelle quelli
quello questa queste questi questo qui quindi sara se sei sempre senza si sia siamo siete solo sono sopra sotto sta
stai stata stato stesso sto su sua sue sui sul sulla suo suoi tanto te ti tra troppo tu tua tue tutta tutte tutti
tutto un una uno usa usare va vai vedi vedo verso vi voglio voi volta vorrei vuoi
"""

_DUTCH = """
aan achter al alle alleen alles als altijd ander andere anders ben bent bestand beter bij bijna binnen boven buiten
code daar daarna dan dat de deze die dit doe doen doet door dus echt een eens eerst elk elke en er erg ergens even
fout ga gaan gaat geef geen gemaakt gewoon goed graag had hadden heb hebben hebt heeft hem hen het hier hij hoe hun
iemand iets ik in is ja je jij jou jouw juist kan kunnen kunt laat laten maak maar maken me meer meest mij mijn
minder misschien moet moeten mogen na naar naast niet niets niks nodig nog nooit nu of om omdat onder ons onze ook
op over probleem sinds snel staat steeds te tegen terug toch toen tot tussen twee uit uw van vanaf vanuit veel
verder via volgens voor voordat waar waarom wanneer want waren was wat weer weg wel welke wie wil wilt worden wordt
zal ze zeer zelf zich zien zij zijn zo zoals zonder zou zouden
"""

_RUSSIAN = """
а без более больше будет будто будут бы был была были было быть в вам вас ведь весь вместо во вот все всегда всего
всех всё вы где да даже два для до добавь другой его если есть еще ещё ее её же за зачем здесь и из или им их
использовать исправь к как какая какие какой когда код кода кто ли лучше между меня мне много может можно мой мы на
над надо нам нас наш не него нельзя нет ни нибудь них но ну нужен нужно о об один он она они оно опять от ошибка
ошибки очень перед по под пожалуйста пока потом потому почему почти при проверь проект просто раз разве с сам сделай
сделать сейчас со снова совсем спасибо так также такой там твой тебе тебя тем теперь то тогда того тоже только том
тот три ту тут ты у уже файл файла файлы хорошо хотя чем через что чтобы чуть эта эти это этого этой этом этот я
"""

_CJK = """
我们 你们 他们 这个 那个 这些 那些 这样 那样 这里 那里 什么 怎么 为什 么样 怎样 如何 哪里 哪个 一个 一些 一下 一样
可以 需要 不要 不是 不能 没有 还是 还有 就是 但是 因为 所以 如果 然后 现在 已经 应该 使用 请你 帮我 问题 功能 修改
添加 增加 删除 实现 代码 文件 页面 显示 进行 出现 错误 报错 时候 之后 之前 以及 或者 并且 而且 其他 其它 所有 全部
是否 继续 重新 直接 看看 检查 修复 优化 完成 项目 测试 运行 启动 更新 创建 生成 查看 点击 按钮 数据 内容 方法 方式
情况 部分 开始 结束 必须 我要 我想 要求 目前 当前 根据 按照 对应 相关 ファ イル コー ード エラ ラー プロ テス スト
ペー ージ 修正 追加 変更 削除 確認 実装 表示 場合 必要 問題 作成 対応 実行 処理 設定 機能 그리 이거 저거 그거 해줘
하는 해서 하고 있는 없는 에서 으로 한다 합니 니다 주세 세요 파일 코드 문제 오류 수정 추가 변경 확인 테스
"""
"""Pairs of characters: text without spaces is read in pairs."""

_FUNCTION_CHARACTERS = lazy_regex(
    "[的了是在我你您他她它这那和与也都就不吗呢吧啊呀哦嗯把被给让请会能要有没很还再又着过们个一"
    "上下中里去来到从对为以及其该等此每各另将ぁ-んー가는은를을이에의도로와과]"
)
"""A pair with one of these is grammar, or crosses the border of two words."""

_TOOLS = """
npm pnpm yarn bun deno npx node pip pipenv poetry uv conda virtualenv venv cargo gradle maven mvn make cmake bazel
docker podman compose kubernetes kubectl helm terraform ansible git husky eslint prettier biome ruff black isort
flake8 pylint mypy pyright pytest unittest nose tox jest vitest mocha cypress playwright storybook webpack vite
rollup esbuild turbo nx lerna tailwind sass bootstrap react vue svelte angular nextjs nuxt remix astro express
fastify nestjs django flask fastapi rails laravel spring postgres postgresql mysql mariadb sqlite mongodb mongo
redis supabase firebase prisma drizzle sqlalchemy typeorm sequelize graphql grpc nginx apache vercel netlify
heroku railway cloudflare aws gcp azure stripe auth0 clerk openai anthropic gemini ollama langchain pandas numpy
polars zod pydantic axios fetch dayjs luxon lodash
"""
"""Names of tools: they identify a subject however many files mention them."""

TOOL_NAMES = frozenset(
    """
    npm pnpm yarn bun node deno pip poetry uv conda cargo maven gradle make cmake bazel nx turbo brew apt docker
    podman kubernetes helm terraform ansible vagrant github gitlab bitbucket jenkins vercel netlify heroku aws azure
    gcp firebase supabase cloudflare nginx apache caddy postgres postgresql mysql mariadb sqlite mongodb mongo redis
    kafka rabbitmq elasticsearch qdrant pinecone prisma drizzle typeorm sequelize sqlalchemy hibernate react vue
    svelte angular next nuxt remix astro solid jquery alpine htmx tailwind bootstrap mui chakra shadcn daisyui sass
    less webpack vite rollup esbuild babel eslint prettier ruff black flake8 pylint mypy pyright jest vitest mocha
    cypress playwright selenium pytest unittest junit rspec storybook express fastify nest nestjs django flask fastapi
    rails laravel spring symfony phoenix python javascript typescript java kotlin swift rust golang ruby php perl
    scala elixir haskell lua bash zsh fish powershell sh html css json yaml toml xml markdown graphql grpc rest
    websocket websockets vim emacs vscode cursor copilot claude codex gemini openai anthropic slack discord jira
    linear notion figma sentry datadog grafana prometheus stripe paypal axios fetch lodash moment dayjs zod redux
    zustand mobx rxjs riverpod provider bloc flutter expo electron tauri unity unreal godot numpy pandas pytorch
    tensorflow opencv inter roboto poppins helvetica arial commonjs esm windows linux macos android ios chrome firefox
    safari edge sonner timber logcat
    """.split()
)
"""Names that are written in lower case too; a rule that names one is about that one."""
RIVAL_TOOLS = {
    "JavaScript packages": "npm pnpm yarn bun",
    "Python packages": "pip poetry uv conda pipenv pdm",
    "JavaScript tests": "jest vitest mocha jasmine",
    "browser tests": "cypress playwright selenium puppeteer",
    "Python tests": "pytest unittest nose tox nox",
    "JavaScript lint": "eslint biome oxlint",
    "Python lint": "ruff flake8 pylint",
    "Python types": "mypy pyright",
    "bundler": "webpack vite rollup esbuild parcel turbopack",
    "JVM build": "maven gradle",
    "state": "redux zustand mobx",
    "requests": "axios fetch",
    "dates": "moment dayjs luxon",
    "database": "postgres postgresql mysql mariadb sqlite mongodb mongo",
    "queue": "kafka rabbitmq",
    "JavaScript database access": "prisma drizzle typeorm sequelize",
    "user interface": "react vue svelte angular",
    "infrastructure": "terraform ansible pulumi",
    "containers": "docker podman",
    "cloud": "aws azure gcp heroku vercel netlify",
    "Python server": "django flask fastapi",
    "JavaScript server": "express fastify nestjs koa",
}
"""Tools by what they are for: one takes the place of another."""


@cache
def common_terms() -> frozenset[str]:
    """Return the terms of the common words, as `sidecar.core.terms` forms them."""
    words = (
        _ENGLISH,
        _WORK,
        _CHATS,
        _FORMATS,
        _SPANISH,
        _PORTUGUESE,
        _FRENCH,
        _GERMAN,
        _ITALIAN,
        _DUTCH,
        _RUSSIAN,
        _CJK,
    )
    return STOP_WORDS.union(*(count_terms(text) for text in words))


@cache
def plain_words() -> frozenset[str]:
    """Return the words of eight languages that belong to no subject at all: "already", "während", "pendant"."""
    words = (_ENGLISH, _SPANISH, _PORTUGUESE, _FRENCH, _GERMAN, _ITALIAN, _DUTCH, _RUSSIAN)
    return STOP_WORDS.union(*(text.split() for text in words))


@cache
def frame_stems() -> frozenset[str]:
    """Return the stems of English words in which any rule can be put: "is allowed", "in all cases"."""
    return frozenset(map(stem, _FRAMES.split()))


@cache
def tool_terms() -> frozenset[str]:
    """Return the terms of tool names."""
    return frozenset(count_terms(_TOOLS))


@cache
def _everyday_terms() -> frozenset[str]:
    return frozenset(count_terms(_EVERYDAY)) - tool_terms()


def is_everyday(term: str) -> bool:
    """Whether a term is a word of everyday talk, which alone says little."""
    return term in _everyday_terms()


@cache
def english_terms() -> frozenset[str]:
    """Return the terms of the common words that are English."""
    return frozenset(count_terms(f"{_ENGLISH} {_WORK} {_CHATS} {_EVERYDAY}"))


def is_distinctive(term: str) -> bool:
    """Whether a term may tell one subject from another: no common word, no number, no single letter."""
    if len(term) < 2 or term in common_terms() or not any(character.isalpha() for character in term):
        return False
    return not is_unspaced(term) or _FUNCTION_CHARACTERS.search(term) is None


def is_unspaced(term: str) -> bool:
    """Whether a term is a pair of characters from a script without spaces, which alone says little."""
    return len(term) == 2 and term > "\u0e00"


_LATIN = "A-Za-zÀ-ɏ_$"
_TOKEN = lazy_regex(rf"[{_LATIN}][{_LATIN}0-9]*|(?:(?![{_LATIN}])\w)+")
_IN_NAMES_ONLY = lazy_regex(r"[\d_$]|(?<=.)[A-ZÀ-Þ]")
_CAPITALISES_NOUNS = lazy_regex(r"\b(?:der|die|das|den|dem|ein|eine[nmrs]?|und|wird|werden|für|mit|auf|im|nicht)\b")
_OTHER_SCRIPT = lazy_regex(r"[Ͱ-ӿ\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")


class NamingWords(NamedTuple):
    """The terms that tell what a statement is about: its names, as of tools and symbols; other words if it has none."""

    terms: tuple[str, ...]
    are_names: bool

    def are_among(self, evidence: Collection[str], besides: Collection[str] = ()) -> bool:
        """Whether most names, or half of the other words, are in the evidence; `besides` are words that do not count.

        Long words may be the beginning of each other, as "Postgres" of "postgresql".
        """
        terms = [term for term in self.terms if term not in besides]
        long = [term for term in evidence if len(term) >= MIN_BEGINNING]
        shown = sum(
            term in evidence
            or (len(term) >= MIN_BEGINNING and any(other.startswith(term) or term.startswith(other) for other in long))
            for term in terms
        )
        return bool(terms) and 2 * shown > len(terms) - (not self.are_names)


MIN_BEGINNING = 5
"""Minimum length of a word that counts as the beginning of another."""


def naming_words(text: str) -> NamingWords:
    """Return the terms that tell what a statement is about."""
    names: list[str] = []
    words: list[str] = []
    has_other_script = _OTHER_SCRIPT.search(text) is not None
    has_capital_names = _CAPITALISES_NOUNS.search(text) is None
    for match in _TOKEN.finditer(text):
        token, is_code = match[0], text.count("`", 0, match.start()) % 2 == 1
        is_latin = _OTHER_SCRIPT.match(token) is None
        terms = [term for term in query_terms(token)[: 1 if is_latin else None] if is_distinctive(term)]
        is_capital = has_capital_names and token[0].isupper() and match.start() > 0
        is_name = is_code or is_capital or (is_latin and has_other_script) or _IN_NAMES_ONLY.search(token)
        (names if is_name else words).extend(terms)
    return NamingWords(tuple(dict.fromkeys(names or words)), bool(names))


WORKING_WORDS = frozenset(
    (
        "a about accordingly actualiza add además adiciona adicionar adicione adjust advance afternoon afterwards "
        "again agent agents aggiorna aggiungi agrega agregar ahora ainda ajoute ajouter ajudar aktualisiere all alle "
        "alles alsjeblieft also alteração alterações alternatives always am anche ancora and anderes antes any "
        "anything anything's anywhere api appreciate appreciated are areas arregla arreglar arregles asap asegurate "
        "asegúrate ask assicurati assume assumptions assure at attention atualize auch aus ausführen aussi avance "
        "avant ayuda ayúdame añade añadir aún backward backwards be because bedankt before beforehand behebe bem best "
        "bestaande bestehende bestehenden bij bist bitte bitteschön bonjour branch break breaks brief briefly broken "
        "buenas bug build by cambiado cambies cambio cambios can careful carefully cases causa cause ceci cela change "
        "changed changelog changement changements changes changé che check checked checker ci ciao clarification "
        "clarify clean code codebase codice coding com comment comments commit commite commits committe compatibility "
        "compatible compile compiles complete con concise confirm cons context conventional conventions corner corre "
        "correct correctly correggi corrige corriger corrija così could cover coverage create código d'abord daarna "
        "dafür danach danke darum das dass dat de deadline decide deeply deine del den dependencies dependency depois "
        "der des description después detail detailed details di dich did die diff dit do doc docs docstrings "
        "documentación documentatie documentation documentazione documentação doe doku dokumentation don't done "
        "double draai du durch durchlaufen durchläuft día e each edge edit een eerst ein eine einen einer ejecuta el "
        "else en encontre encore encuentra end ende enhancement ensuite ensure entry er ergänze erkläre erst escreva "
        "escrever escribe escribir esegui esistente est esta este estilo esto et even everything execute existant "
        "existente existing explain explanation explica explique explícame extend exécute fai fail failed fails fais "
        "favor favore favour faça fehler fertig files final finally find finde finish finished first fix fixed "
        "folgendes follow following fonctionne for format formatter from full funcione funktioniert funzioni füge "
        "führe für garanta geändert gleich go good gracias grazie green grün guess guessing hack hacks hallo halte "
        "handle hard hast have haz hello help here hey hi high hints hinweis hinzu hoi hoje hola how i ich idiomatic "
        "if ik il implement implementing in include integration into investigate is isso issue ist it it's its je "
        "joined jour just kannst keep kein keine keinen kindly klein know kun kurz kümmere la laat lance lancia las "
        "lass lauf laufen le leg les let let's like line lines lint linter list lo locally look looks los lot low "
        "luego mach mache main maintainable make manually master me meantime medium menor merci merge message "
        "messages met mets mettre minimaal minimal minimaux minime minute minutes mir mit modifica modifications "
        "modifiche modify moment montre more morning mostra mostre much mudanças mudou muestra muéstrame my mínimas "
        "mínimos möchte möglichst nachher nada ne necesito necessary need needed nette new nichts niet no noch nog "
        "non not nothing notice noticed nur não o obrigada obrigado occuper of oi older olá on once one ook oorzaak "
        "op open oppakken option options or os other our outline own para parts pas pase pasen pass passe passem "
        "passende passent passes passi passing passino pense per performance peux piano pick plait plan plano plaît "
        "pleasant please plus pode poi por possível pour pr practices preciso presto pretty prima primeiro primero "
        "priority probleem problem problema problems problème proceed produce production project proper properly "
        "proposal propose pros prototype provide prueba pruebas prüfe public puedes pull puoi push quality que "
        "question questions questo quick quickly qué rapidement read readable readme ready real really reasonable "
        "rebase recommend refactor reformat regression regressions regressão relación relevant rely rename repo "
        "repository reproduce request require requires rerun resolve resolver result results resumen resumo review "
        "riassunto right rode root ruhig run résumé rétrocompatibilité s'il same samenvatting sans schreib schreibe "
        "schreiben schrijf scrivi segui self-contained sem sense sentence sentences senza separate short shortly show "
        "sicher siga sigue simple sin skip skipped slaagt small smallest snel so solltest soluciona solution solve "
        "some something sonst spare spec specs spiega squash staging start stash stay stays stelle step steps stijl "
        "stil stile still stuck style subagent subagents subito succeed such suis suite summarize summary support "
        "supported sure take también também task te tell tenga terminar terminer termines terminé test teste testes "
        "tests than thank thanks that that's the their them then there these they they're think this thorough "
        "thoroughly through ticket time title to todas todavía today todo todos toe toi tomorrow too tool tools touch "
        "tous tout toutes trade-offs tradeoffs trouve trova tu tudo tutti tutto type typecheck types uit ultrathink "
        "um uma umsetzen un una unclear und understand understanding une unit unnötige unrelated unreleased unsure "
        "until up update urgent ursache use users validate veranderd verified verify verifying version versions vind "
        "vite voeg voer volg voor vorhandene vorhandenen vorher want warning warnings was we well wenn werk werkt "
        "what when which while whole why wie wijziging wijzigingen will wir with without work workaround workarounds "
        "working works would write y yet you your zeig zeige zeigen zero zien zorg zuerst zusammenfassung à ändere "
        "änderung änderungen ça écrire écris без быстро все всё для добавь добавьте документацию его запусти "
        "запустите затем и изменения изменил исправь их код коммит кратко минимальные мне можешь найди напиши "
        "напишите не обнови план подробно пожалуйста пока покажи потом привет причину проблема проверь проходит "
        "проходят работает сделай сначала спасибо стиль также тест тесты убедись убедитесь что это"
    ).split()
)
"""Words of clauses that tell how to work, whatever the work is about, in eight languages."""

_JOINED_RULE = lazy_regex(
    r",\s{1,3}(?:and|und|y|e|et|en|и)\s(?=(?:\S{1,20}\s){0,2}(?:always|never|from now on|immer|nie(?:mals)?|ab jetzt"
    r"|siempre|nunca|de ahora en adelante|sempre|mai|a partir de agora|toujours|jamais|désormais|altijd|nooit|vanaf nu"
    r"|всегда|никогда)\b)",
    re.IGNORECASE,
)
_SPACED_WORD = lazy_regex(r"[^\W\d_]+(?:['’][^\W\d_]+)*")
MAX_WORKING_WORDS = 60
_BESIDE_WORK = WORKING_WORDS | frozenset(
    "now next then ok okay yes dazu jetzt nun dann ja sí luego agora então sim maintenant oui alors ora adesso sì poi"
    " nu dan да теперь потом".split()
)


def end_of_working_words(sentence: str) -> int:
    """Return where a rule begins that a request without a subject precedes: "now the tests, and never …"; else 0."""
    match = _JOINED_RULE.search(sentence, 1, MAX_WORKING_WORDS)
    words = _SPACED_WORD.findall(sentence[: match.start()].casefold()) if match is not None else []
    return match.end() if match is not None and words and _BESIDE_WORK.issuperset(words) else 0


_OF_ANY_ACCOUNT = (
    "functionality required comprehensive successfully "
    "issue issues problem problems bug bugs error errors fix fixes fixed change changes changed update updated file"
    " files code all everything applied successfully complete completed done summary implementation implemented added"
    " created removed now work works working working fonctionnalité fonctionnalités funcionalidad funcionalidades"
    " función funcionalidade logique solución solution solução soluzione lösung succès"
    " éxito exitosamente sucesso correctement correctamente mejora mejoras correction corrección correção feature "
    "significantly improved enhanced archivo documento raíz proyecto project document modifications modificaciones"
    " modificações complètes completas completamente this that it following feature"
    " features request requested made problema problemas cambio cambios realizado erreur problème fehler"
    " проблема ошибка изменения critical both these those final new also"
    " implémenté implémentée implémentés ajouté ajoutée ajoutés corrigé corrigée corrigés modifié supprimé créé créée"
    " résolu résolue appliqué appliquée implementado implementada implementados agregado agregada añadido añadida"
    " corregido corregida actualizado actualizada solucionado solucionada eliminado modificado creado aplicado"
    " completado adicionado corrigido atualizado removido criado alterado aplicada corretto aggiunto implementato"
    " modificato hinzugefügt behoben implementiert aktualisiert toegevoegd opgelost aangepast исправлено добавлено"
    " реализовано обновлено complètes pleinement fonctionnelles opérationnelle accessible"
)


@cache
def account_terms() -> frozenset[str]:
    """Return the terms that every account of work contains."""
    return frozenset(query_terms(_OF_ANY_ACCOUNT))
