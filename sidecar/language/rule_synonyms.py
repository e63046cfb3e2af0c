"""Words by which rules are compared within and across ten languages: shared concepts, negations, function words. Pure.

A row of `GENERIC_ROWS` and of `rule_concepts.txt` lists what means much the same in English, Portuguese, Spanish,
French, German, Italian, Dutch, Russian, Japanese and Chinese. A word that ends with `*` stands for all words with that
beginning. Accents are left out. Words that look alike in two languages need no row.
"""

import unicodedata
from functools import lru_cache
from pathlib import Path

from sidecar.core.lazy_regex import lazy_regex

GENERIC_ROWS = """
use* using usar usa usas usan use usem usamos uso utiliz* utilis* emple* verwend* benutz* nutz* nutze nimm gebruik* usiamo использ* 使用 使う 使って 使い 使わ 利用 用
always siempre sempre toujours immer stets altijd всегда 常に 必ず いつも 总是 始终 一直 永远 必须 務必 务必 一律 forever jederzeit permanent*
every each all everything everywhere whole entire todo todos toda todas cada tudo tout tous toute toutes chaque partout alle alles allen aller jede* ganze* uberall tutto tutti tutta tutte ogni ovunque elk elke ieder* overal все всё весь вся каждый каждая каждое каждого везде すべて 全て 全部 全体 全 毎回 毎 每 每个 所有 一切 都 整个 到处
only just solo solamente somente apenas unicamente seulement uniquement nur ausschliesslich lediglich soltanto alleen slechts enkel только лишь だけ のみ 只 仅 只能 只有
must should shall have_to need* necesit* precis* deb* dever* tem tiene* hay doit doivent faut muss mussen soll* deve devono moet* moeten нужно надо должн* следует べき 必要 必须 应该 應該 需要 要
want* wish* like* prefer* quer* quier* prefier* prefir* voulo* veux veut souhait* mocht* will bevorzug* lieber vogli* vorre* preferi* wil willen liever хоч* предпочит* 好む 優先 希望 想 喜欢 更喜欢 偏好 优先
make* do does done doing hacer haz haga* faz faze* faca* faire fais fait fasse mach* tun fare fai faccia doe doen сдела* делат* делай* する やる 做 进行
please bitte favor gentile svp pozhaluysta пожалуйста ください お願い 请
keep* kept maintain* stay* remain* mantener manten* mante* permane* gard* conserv* rest* behalt* bleib* beibehalt* halte* tien* mantie* houd* blijf* оставля* оставь* держ* сохран* 維持 保つ 保持 维持 保留
be is are was sein ist sind
agent agente user usuario utilizador utilisateur nutzer benutzer utente gebruiker пользовател* ユーザー ユーザ 用户 客户
way manner forma manera maneira modo facon maniere weise art maniera wijze manier способ* 方法 方式 仕方
"""
"""Words that carry a rule and say little about its subject."""

NEGATIONS = frozenset(
    """
    not never no nothing nada nichts rien niente nulla niets ничего don't dont doesn't isn't aren't can't cannot won't shouldn't mustn't without avoid stop nor neither
    forbidden prohibited banned taboo tabu skip less fewer nobody
    nao nunca jamais sem evitar evite pare nem proibido
    menos sin evita evitar tampoco ni prohibido ningun ninguna
    ne n' pas jamais sans eviter evitez aucun aucune ni interdit plus
    weder weniger nicht nie niemals kein keine keinen keinem keiner ohne vermeide vermeiden verboten nimmer
    meno non mai senza evita evitare nessun nessuna vietato niente
    minder niet nooit geen zonder vermijd vermijden verboden
    меньше не нет никогда без нельзя избегай избегать запрещено
    nie nigdy bez unikaj khong dung
    cancel cancela cancele annule annulez arrete arretez cesse smetti хватит прекрати
    """.split()
)
"""Words that deny what their clause states, without accents."""

NEGATION_BEGINNINGS = (
    "forbid", "prohib", "proib", "interdi", "verbot", "verbod", "verbiet", "vietat", "запре", "avoid", "evit", "vermeid",
    "vermij", "избега", "exclud", "reduc", "reduz", "redui", "diminu", "minimis", "minimiz", "verringer",
)  # fmt: skip

NEGATIONS_AFTER = (
    "instead of", "rather than", "rather then", "instead off", "stay away from", "turn off", "get rid of", "prevents ", "prevent ", "preventing ", "no more", "no longer", "em vez d", "ao inves d",
    "en vez d", "en lugar d", "au lieu d", "plutot qu", "statt ", "anstelle ", "invece d", "anziche", "al posto d",
    "in plaats van", "вместо", "empeche", "verhinder", "impide", "impede", "impedisc", "voorkom",
)  # fmt: skip
UNSPACED_NEGATIONS = (
    "不要", "不许", "不能", "不可", "不准", "不用", "不得", "不需", "不", "别", "勿", "禁止", "没", "无需", "避免",
    "でなく", "ではなく", "じゃなく", "代わりに", "すぎ", "過ぎ", "太多", "しない", "ない", "せず", "ません", "禁止", "避け", "やめ", "さわるな", "触るな", "使うな", "するな", "ぬ", "ずに",
)  # fmt: skip

_FUNCTION_WORDS = {
    "en": """
    a an the and or but if then so than that this these those there here it its i me my we us our you your he him his
    she her they them their of in on at in to from by for with as is are was were be been being am do does did will
    would can could should shall must may might have has had not no nor never just also too very more most much
    many any some such own up out off over under again once about into onto through while when where which who
    myself yourself himself herself itself ourselves themselves what how why because since until let lets please try want like get got make sure though ever going now
    try remember think know really well vs via per etc e.g i.e instead rather whenever every each all both""",
    "pt": """
    o a os as um uma uns umas de do da dos das em no na nos nas por para com e ou mas se que como ao aos pelo pela este
    esta isso isto esse essa ele ela eles elas eu voce voces meu minha seu sua nao sim ser estar ter tem foi muito mais""",
    "es": """
    el la los las un una unos unas y o pero si del al en por para con su sus mi tu lo le les se que como este esta
    estos estas eso esto ese esa es son ser esta estan hay muy mas menos ya cuando donde porque quiero vamos ir va de
    no""",
    "fr": """
    le la les un une des du de et ou mais si que qui dans sur par pour avec ce cet cette ces il elle ils elles je tu
    nous vous on ne pas est sont etre avoir a ai au aux son sa ses leur y en se tres plus""",
    "de": """
    der die das den dem des ein eine einen einem einer und oder aber wenn dass in im an am auf aus bei mit nach von vor
    zu zum zur ist sind war sein haben hat wird werden ich du er sie es wir ihr man sich nicht auch noch nur so wie als
    fur bitte keine kein keinen uber unter""",
    "it": """
    il lo la i gli le un uno una e o ma se che di a da in con su per tra fra del della dei delle al alla ai nel nella
    e sono essere ha hanno si non piu come questo questa""",
    "nl": """
    de het een en of maar als dat die dit deze in op aan van voor met bij naar uit om te is zijn was worden wordt heeft
    hebben ik je jij u hij zij ze wij we niet ook nog alleen geen""",
    "ru": """
    и или но если что как в во на с со из к ко по для от до за о об при это этот эта эти тот та я ты он она мы вы они
    их его ее не же бы ли так""",
    "other": """
    i w na z do dla o jest sa sie nie to ten ta te oraz aby zeby jak
    toi ban la cua cho va mot nhung duoc khong the voi trong""",
}
FUNCTION_WORDS_OF = {language: frozenset(words.split()) for language, words in _FUNCTION_WORDS.items()}
FUNCTION_WORDS = frozenset(word for words in FUNCTION_WORDS_OF.values() for word in words)

_EXACT_WORDS = """
    2 3 5 10 red green blue yellow orange purple black white grey pink light dark tab space left right_side top bottom
    english german spanish french portuguese italian russian japanese chinese enable disable public private
    more less last old monday tuesday wednesday thursday friday saturday sunday
""".split()
"""Words in whose place another would be another rule: they must be the user's too, in any language."""

TOOL_NAMES = frozenset(
    """
    npm pnpm yarn bun node deno pip poetry uv conda cargo maven gradle make cmake bazel nx turbo brew apt docker podman
    kubernetes helm terraform ansible vagrant github gitlab bitbucket jenkins vercel netlify heroku aws azure gcp firebase
    supabase cloudflare nginx apache caddy postgres postgresql mysql mariadb sqlite mongodb mongo redis kafka rabbitmq
    elasticsearch qdrant pinecone prisma drizzle typeorm sequelize sqlalchemy hibernate react vue svelte angular next nuxt
    remix astro solid jquery alpine htmx tailwind bootstrap mui chakra shadcn daisyui sass less webpack vite rollup esbuild
    babel eslint prettier ruff black flake8 pylint mypy pyright jest vitest mocha cypress playwright selenium pytest unittest
    junit rspec storybook express fastify nest nestjs django flask fastapi rails laravel spring symfony phoenix python
    javascript typescript java kotlin swift rust golang ruby php perl scala elixir haskell lua bash zsh fish powershell sh
    html css json yaml toml xml markdown graphql grpc rest websocket websockets vim emacs vscode cursor copilot claude codex
    gemini openai anthropic slack discord jira linear notion figma sentry datadog grafana prometheus stripe paypal axios
    fetch lodash moment dayjs zod redux zustand mobx rxjs riverpod provider bloc flutter expo electron tauri unity unreal
    godot numpy pandas pytorch tensorflow opencv inter roboto poppins helvetica arial commonjs esm windows linux macos android
    ios chrome firefox safari edge sonner timber logcat
    """.split()
)
"""Names that are written in lower case too; a rule that names one is about that one."""

UNSPACED_FUNCTION = (
    "について", "に関して", "として", "ところ", "けど", "ので", "から", "まで", "より", "など", "こと", "もの", "という",
    "的", "了", "和", "在", "是", "我", "你", "他", "们", "把", "请", "吧", "呢", "也", "就", "将", "被", "给", "这", "那",
    "个", "着", "过", "与", "及", "或", "而", "并", "之", "其", "为", "以", "于", "对", "从", "到", "上", "下", "里", "中", "时", "後",
)  # fmt: skip
"""Particles of Chinese and Japanese; hiragana that no row lists says nothing either."""

LASTING = (
    "from now on", "going forward", "in future", "in the future", "always", "every time", "each time", "never again",
    "never", "remember", "as a rule", "make this a rule", "by default", "a partir de agora", "daqui em diante", "sempre",
    "lembre", "a partir de ahora", "de ahora en adelante", "siempre", "recuerda", "nunca", "désormais", "dorénavant",
    "à partir de maintenant", "toujours", "jamais", "ab jetzt", "von nun an", "künftig", "in zukunft", "immer", "nie wieder",
    "niemals", "merk dir", "d'ora in poi", "da ora in poi", "sempre", "mai più", "ricorda", "vanaf nu", "voortaan", "altijd",
    "nooit", "onthoud", "с этого момента", "впредь", "отныне", "всегда", "никогда", "запомни", "今後", "これから", "いつも", "常に",
    "必ず", "二度と", "覚えて", "从现在开始", "以后", "今后", "总是", "永远", "每次", "记住", "别再",
)  # fmt: skip
"""Words by which a user makes a statement lasting."""


def folded(word: str) -> str:
    """Return a word in lower case and without accents."""
    if word.isascii():
        return word.casefold()
    plain = unicodedata.normalize("NFKD", word.casefold())
    unmarked = "".join(char for char in plain if not unicodedata.combining(char) or "\u3099" <= char <= "\u309a")
    return unicodedata.normalize("NFC", unmarked.replace("đ", "d").replace("ł", "l").replace("ß", "ss"))


def is_unspaced(char: str) -> bool:
    """Whether a character belongs to a script without spaces between words."""
    return "\u3040" <= char <= "\u30ff" or "\u3400" <= char <= "\u9fff" or char == "々"


class _Table:
    """Concepts by whole word, by beginning, and by word of an unspaced script."""

    def __init__(self) -> None:
        self.words: dict[str, frozenset[int]] = {}
        self.beginnings: dict[str, frozenset[int]] = {}
        self.unspaced: dict[str, frozenset[int]] = {}
        generic = [row for row in GENERIC_ROWS.splitlines() if row]
        self.generic_count = len(generic)
        content = (Path(__file__).parent / "rule_concepts.txt").read_text(encoding="utf-8").splitlines()
        for concept, row in enumerate((*generic, *content)):
            for word in row.split():
                target = self.unspaced if is_unspaced(word[0]) else self.beginnings if word[-1] == "*" else self.words
                key = folded(word.rstrip("*"))
                target[key] = target.get(key, frozenset()) | {concept}
        self.longest_unspaced = max(map(len, self.unspaced))


@lru_cache(maxsize=1)
def _table() -> _Table:
    return _Table()


@lru_cache(maxsize=4_096)
def concepts_of(word: str) -> frozenset[int]:
    """Return the concepts of a folded word; empty if no row lists it. The longest listed beginning wins."""
    table = _table()
    concepts = table.words.get(word, frozenset())
    for length in range(min(len(word), 14), 1, -1):
        if (listed := table.beginnings.get(word[:length])) is not None and len(word) - length <= 6:
            return concepts | listed
    return concepts


def is_generic(concepts: frozenset[int]) -> bool:
    """Whether concepts say nothing about a rule's subject."""
    return bool(concepts) and max(concepts) < _table().generic_count


@lru_cache(maxsize=1)
def exact_concepts() -> frozenset[int]:
    """Return the concepts that must occur: numbers, colours, languages, and words that have an opposite."""
    return frozenset(concept for word in _EXACT_WORDS for concept in _table().words.get(word, frozenset()))


def split_unspaced(run: str) -> list[tuple[str, frozenset[int]]]:
    """Split a run of Chinese or Japanese into listed words and the rest between them, which has no concepts."""
    table = _table()
    words: list[tuple[str, frozenset[int]]] = []
    rest = at = 0
    while at < len(run):
        for length in range(min(table.longest_unspaced, len(run) - at), 0, -1):
            word = run[at : at + length]
            concepts = table.unspaced.get(word)
            if concepts is not None or word in UNSPACED_FUNCTION:
                if rest < at:
                    words.append((run[rest:at], frozenset()))
                if concepts is not None:
                    words.append((word, concepts))
                at += length
                rest = at
                break
        else:
            at += 1
    if rest < at:
        words.append((run[rest:at], frozenset()))
    return words


def without_lasting(text: str) -> str:
    """Return a text without the words by which it lasts, some of which have a preposition: "a partir de ahora"."""
    plain = text.casefold()
    for marker in LASTING:
        if " " in marker and (start := plain.find(marker)) >= 0 and len(plain) == len(text):
            text = f"{text[:start]}{text[start + len(marker) :]}"
            plain = text.casefold()
    return text


def reworded(text: str) -> str:
    """Return a text whose idioms that deny something are those that the comparison knows."""
    text = _LEFT_ALONE.sub(r"not touch\1", _REPLACED.sub(r"instead of \1, use ", text))
    text = _NEGATED_VERB.sub(r"\1 not ", text)
    text = _NOT_MORE.sub("below", _UNTOUCHED.sub("not changed", _UP_TO_DATE.sub("current", text)))
    return _AS_LONG_AS_NOT.sub(r"until \1", text)


_UNTOUCHED = lazy_regex(r"(?i)\b(?:untouched|unchanged|unverändert|intacte?s?|inchangée?s?|intact[oa]s?|ongewijzigd)\b")
_NOT_MORE = lazy_regex(
    r"(?i)\b(?:not|no|não|non|ne pas|nicht|niet) (?:exceed|go over|be (?:more|longer|larger|bigger) than|exceder|superare?"
    r"|ultrapassar|dépasser|überschreiten|overschrijden)\b"
)
_REPLACED = lazy_regex(
    r"(?i)\b(?:replace|swap|substitute|refactor|convert|migrate|switch|change|ersetze?n?|remplace[rz]?|reemplaza\w*"
    r"|substitu\w+|sostitui\w*|vervang\w*)\b ([^,;.]{1,60}?) (?:with|by|to (?:instead )?(?:just )?use|durch|par|por|con|door)\b"
)
_AS_LONG_AS_NOT = lazy_regex(
    r"(?i)\b(?:as long as|solange|tant que|finché|zolang|пока)\b([^,;.]{1,60}?)\b(?:not|nicht|pas|non|niet|не)\b"
)
_LEFT_ALONE = lazy_regex(
    r"(?i)\b(?:leave|lass\w*|laisse\w*|deja\w*|lascia\w*|deix\w*)\b(.{1,60}?)\b(?:alone|as (?:is|it is|they are)"
    r"|in ruhe|tranquilles?|en paz"
    r"|in pace|em paz)\b"
)
"""Words that forbid to touch something."""
_NEGATED_VERB = lazy_regex(
    r"(?i)\b(do|does|did|is|are|was|were|ca|can|wo|should|must|could|would|has|have|need)n['’]?t\b"
)
UNTIL = lazy_regex(
    r"(?i)(?<![\w/])(?:until|till(?= (?:the|we|i|you|it|then|next)\b)|as long as|solange|hasta|mientras|jusqu['’]\w+"
    r"|tant qu[e'’]|até que|enquanto|fino a\w*|finché|totdat|zolang|пока)(?![\w/])|まで(?!も)|直到|为止"
)
"""Words by which the user names an end."""
LIMITED = lazy_regex(
    r"(?i)\b(?:un)?til\b|\b(?:as|so) long as\b|\b(?:before|while|once|after|unless|when|if|without|first|only|bis"
    r"|solange|bevor|ehe|nachdem|sobald|wenn|erst|ohne|hasta|mientras|antes|después|cuando|si|sin|jusqu['’]\w+"
    r"|tant qu[e'’]|avant|après|quand|sans|até|enquanto|depois|quando|se|sem|fino a\w*|finché|prima|dopo|tot(?:dat)?"
    r"|zolang|voor(?:dat)?|als|пока|до|прежде|после|если)\b|まで|前|ない|場合|たら|直到|之前|以前|为止|后|时|不"
)
"""Words by which a rule may have the end that the user named."""
EXCEPT = lazy_regex(
    r"(?i)\b(?:except|unless|apart from|aside from|außer|ausgenommen|es sei denn|excepto|salvo|a menos|sauf|hormis"
    r"|à moins|exceto|a não ser|tranne|eccetto|a meno|behalve|tenzij|кроме)\b|以外|除了|除非|を除|ただし"
    r"|\bif there(?:['’]s| is| are) (?:no|not)\b"
)
"""Words by which the user names an exception."""
EXCEPTED = lazy_regex(
    r"(?i)\b(?:except\w*|unless|apart|aside|other|only|but|without|if|when|not|no|außer|ausgenommen|nur|ohne|wenn"
    r"|nicht|excepto|salvo|menos|solo|sin|si|sauf|hormis|moins|seulement|sans|pas|exceto|só|sem|não|tranne|eccetto"
    r"|meno|senza|non|behalve|tenzij|zonder|niet|кроме|только|без|не)\b|以外|除|ただし|只|だけ|ない|不|場合"
)
"""Words by which a rule may have the user's exception."""
_UP_TO_DATE = lazy_regex(r"(?i)\b(?:up[ -]to[ -]date|auf dem neuesten stand|à jour|al día|em dia)\b")
