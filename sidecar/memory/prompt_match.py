"""Whether a memory bears on a prompt: one shared identifier, path or rare term is required and suffices. Pure.

Rare is a term in at most three memories, or in 5 % of them. A part of a name, a piece of a text without spaces, and a
word of everyday talk say less: two of them are needed, unless it names a tool or an alternative of the memory's choice
("npm"). Function words, words of any work on software, and numbers are no evidence
(`sidecar.language.common_words`), except for a dropped approach: two adjacent words of its name, or three that are all
of it, identify it however common they are. A rule of the user about one step of the work, such as tests or commits,
also bears on a prompt that asks for that step. What the user's environment lacks bears on a prompt that runs something.
"""

import re
from collections.abc import Collection, Mapping, Sequence
from functools import cache, lru_cache
from itertools import groupby, pairwise
from typing import NamedTuple

from sidecar.core.lazy_regex import lazy_regex
from sidecar.core.terms import (
    DOCUMENT_NAMES,
    count_terms,
    identifiers_of,
    join_terms,
    paths_in,
    query_terms,
    terms_of,
    words_in,
)
from sidecar.language.common_words import (
    is_distinctive,
    is_everyday,
    is_unspaced,
    tool_terms,
)
from sidecar.memory.entry import DROPPED

RARE_STATEMENTS, RARE_SHARE = 3, 0.05
"""A term is rare in at most this many memories, or this share of them."""

MAX_TERMS = 200
"""Terms of a longer text are not examined."""

LONG_PROMPT_TERMS = 40
"""A prompt with more telling terms is mostly material; one shared term is then chance, so two are needed."""

MAX_ACTIVITIES, MAX_TASK_CHARACTERS = 4, 1_500
"""A prompt that is longer, or names more steps of the work, is a specification: no single step is its own."""

MIN_NAME_WORDS = 3
"""Words of an approach's name that identify it in any order; two have to be adjacent."""

STRONG, WEAK = 1.0, 0.5
NAME_SCORE, PATH_SCORE = 2.0, 3.0
TASK_FACTOR = 0.5
"""Rank of what a prompt shares only through its task's objective, compared with the prompt's own words."""

MAX_REASONS = 3
"""Maximum number of shared words that a reason lists."""

_HAS_WORD = lazy_regex(r"[^\W\d_]{3}")
_FILE_ENDING = lazy_regex(r"(?<=\w)\.\w+")
_SENTENCE_BREAK = lazy_regex(r"[a-z]{3}\.[A-Z][a-z]")
_BOOKKEEPING_TAGS = frozenset(("restored", "validated", "standing", "pointer", "blocking"))
_COMMON_FILES = frozenset((
    "package.json", "tsconfig.json", "pyproject.toml", "requirements.txt", "readme.md", "index.ts", "index.js",
    "index.tsx", "index.html", "main.py", "__init__.py", "app.py", "main.ts", "main.js", "page.tsx", "layout.tsx",
    "route.ts", "makefile", "dockerfile", ".env", ".gitignore", "app.tsx", "app.js", "style.css", "styles.css",
    "globals.css", "changelog.md", "setup.py", "utils.py", "utils.ts", "types.ts", "config.py", "mod.rs", "lib.rs",
    "claude.md", "agents.md", ".claude", ".cursor", ".github", ".vscode",
))  # fmt: skip
"""Names of many files: only their folder tells which one is meant."""


class PromptCues(NamedTuple):
    """The names in a run's prompt: its terms, those of its task's objective, identifiers, and paths."""

    terms: tuple[str, ...]
    task_terms: tuple[str, ...]
    """Terms of the objective alone."""
    parts: frozenset[str]
    """Terms that are only a part of a name, as `cart` of `renderCart`; they say less."""
    names: frozenset[str]
    paths: tuple[str, ...]
    """Paths that the prompt names and files the run's task touched."""
    activities: frozenset[str] = frozenset()
    """Steps of the work that the prompt asks for."""
    words: str = ""
    """All terms of what the user typed, in order."""


class MemoryText(NamedTuple):
    """The parts of a memory that a prompt can share."""

    terms: frozenset[str]
    choices: frozenset[str]
    """Terms of the alternatives of its choice: `pnpm` and `npm`."""
    names: frozenset[str]
    paths: tuple[str, ...]
    activities: frozenset[str] = frozenset()
    """The step of the work that it is about, if it is a rule of the user about one; those that a limit bears on."""
    statements: tuple[str, ...] = ()
    """All terms of its title, and of its text, in order."""
    dropped: str = ""
    """The name of a dropped approach."""


class Rarity(NamedTuple):
    """Frequency of terms in memories."""

    memories: int
    memories_with: Mapping[str, int]
    project_terms: frozenset[str] = frozenset()
    """Terms of the project's name, which tell nothing from each other however rare they are."""

    def is_rare(self, term: str) -> bool:
        """Whether few memories contain a term that is not the project's name."""
        if term in self.project_terms:
            return False
        return self.memories_with.get(term, 0) <= max(RARE_STATEMENTS, int(RARE_SHARE * self.memories))


class MemoryEvidence(NamedTuple):
    """The names and terms that a memory shares with a prompt, strongest first, and their weight."""

    score: float
    shared: tuple[str, ...]


def cues_of(prompt: str, own_words: str, objective: str = "", touched: Sequence[str] = ()) -> PromptCues:
    """Read a prompt, the part of it that the user typed, its task's objective, and the paths of touched files.

    Pasted material counts only by the names and paths in it.
    """
    terms = _distinctive_terms(own_words)
    own = frozenset(terms)
    task_terms = tuple(term for term in _distinctive_terms(objective) if term not in own)
    paths = dict.fromkeys((*_paths(prompt), *map(str.casefold, touched)))
    parts = _parts(own_words) | _parts(objective)
    activities = activities_of_prompt(own_words) if len(own_words) <= MAX_TASK_CHARACTERS else frozenset[str]()
    if len(activities) > MAX_ACTIVITIES:
        activities = frozenset()
    elif len(own_words) <= MAX_TASK_CHARACTERS and _RUNS.search(own_words):
        activities |= {COMMANDS}
    return PromptCues(
        terms=terms,
        task_terms=task_terms,
        parts=parts,
        names=_names(prompt),
        paths=tuple(paths),
        activities=activities,
        words=join_terms(own_words),
    )


def memory_text(
    title: str,
    text: str,
    tags: Sequence[str],
    choices: Collection[str],
    *,
    is_rule: bool = False,
    is_limit: bool = False,
) -> MemoryText:
    """Read a memory; tags with a colon, and some without, are bookkeeping.

    A limit is what the user states to be missing in the environment.
    """
    whole = "\n".join((title, text, *(tag for tag in tags if ":" not in tag and tag not in _BOOKKEEPING_TAGS)))
    terms = frozenset(filter(is_distinctive, count_terms(whole)))
    has_steps = is_rule or is_limit
    activities = activities_of_rule(_FILE_ENDING.sub(" ", text or title)) if has_steps else frozenset[str]()
    if len(activities) > 1:
        activities = frozenset()
    if is_limit:
        activities |= _STEPS_OF_LIMITS
    statements = tuple(filter(None, map(join_terms, (title, text))))
    return MemoryText(
        terms=terms,
        choices=frozenset(choices),
        names=_names(whole),
        paths=_paths(whole),
        activities=activities,
        statements=statements,
        dropped=title.removeprefix(DROPPED) if title.startswith(DROPPED) else "",
    )


def evidence(cues: PromptCues, memory: MemoryText, rarity: Rarity) -> MemoryEvidence | None:
    """Return what a memory shares with a prompt; None if that is not enough, or if the prompt states the same."""
    if memory.statements and all(f" {words} " in f" {cues.words} " for words in memory.statements):
        return None
    paths = [path for path in memory.paths if any(_is_same_file(path, other) for other in cues.paths)]
    names = sorted(name for name in cues.names & memory.names if any(map(rarity.is_rare, count_terms(name))))
    own = _shared_terms(cues.terms, cues.parts, memory, rarity)
    if phrase := shared_phrase(cues, memory.dropped):
        own = {phrase: STRONG, **own}
    task = _shared_terms(cues.task_terms, cues.parts, memory, rarity)
    needed = STRONG if len(cues.terms) <= LONG_PROMPT_TERMS else 2 * STRONG
    activities = sorted(cues.activities & memory.activities)
    if not paths and not names and sum(own.values()) < needed and sum(task.values()) < 2 * STRONG and not activities:
        return None
    score = PATH_SCORE * bool(paths) + NAME_SCORE * len(names) + sum(own.values()) + TASK_FACTOR * sum(task.values())
    score += WEAK * bool(activities)
    strongest = sorted(own | task, key=lambda term: -(own | task)[term])
    return MemoryEvidence(score, tuple(dict.fromkeys((*paths, *names, *strongest, *activities)))[:MAX_REASONS])


def shared_phrase(cues: PromptCues, name: str) -> str:
    """Return two adjacent words of what an approach's name begins with, or all of its words; empty if not shared."""
    pairs, telling = _words_of_name(name)
    prompt = f" {cues.words} "
    if (pair := next((pair for pair in pairs if f" {pair} " in prompt), "")) or len(telling) < MIN_NAME_WORDS:
        return pair
    return " ".join(telling) if all(f" {term} " in prompt for term in telling) else ""


@lru_cache(maxsize=256)  # each prompt is compared with the newest names
def _words_of_name(name: str) -> tuple[list[str], list[str]]:
    """Return the pairs of adjacent words that an approach's name begins with, and all of its words that tell much."""
    words = [term for word in words_in(name) for term in tuple(terms_of(word))[:1]]
    telling = [term for term in query_terms(name) if term in words and term not in _ORDINALS]
    runs = (list(run) for is_telling, run in groupby(words, telling.__contains__) if is_telling)
    return [f"{first} {second}" for first, second in pairwise(next(runs, [])) if first != second], telling


_ORDINALS = frozenset(
    ("first", "second", "third", "initial", "old", "new", "previous", "attempt", "approach", "version")
)
"""Words that tell one approach from another without naming it."""


def lookup_terms(cues: PromptCues) -> tuple[str, ...]:
    """Return every term by which memories may be looked up, those of names and paths included."""
    return tuple(dict.fromkeys((*cues.terms, *cues.task_terms, *_terms_of_names(cues))))


def rarest_terms(cues: PromptCues, rarity: Rarity, limit: int) -> tuple[str, ...]:
    """Return the terms that lead to memories, the rarest first; those of names and paths however common."""
    named = frozenset(_terms_of_names(cues))
    terms = [term for term in lookup_terms(cues) if rarity.memories_with.get(term)]
    leading = [term for term in terms if term in named or rarity.is_rare(term)]
    return tuple(sorted(leading, key=lambda term: (rarity.memories_with[term], term))[:limit])


def _terms_of_names(cues: PromptCues) -> tuple[str, ...]:
    return tuple(count_terms(" ".join((*sorted(cues.names), *(path.rpartition("/")[2] for path in cues.paths)))))


def _distinctive_terms(text: str) -> tuple[str, ...]:
    return tuple(filter(is_distinctive, count_terms(text)))[:MAX_TERMS]


def _parts(text: str) -> frozenset[str]:
    """The terms that a text has only as parts of names."""
    whole: set[str] = set()
    parts: set[str] = set()
    for word in words_in(text):
        first, *rest = tuple(terms_of(word)) or ("",)
        whole.add(first)
        parts.update(rest if first.isascii() else ())
    return frozenset(parts - whole)


def _paths(text: str) -> tuple[str, ...]:
    """The paths in a text."""
    paths = (path for path in paths_in(text) if path not in DOCUMENT_NAMES and not _SENTENCE_BREAK.search(path))
    return tuple(dict.fromkeys(path.casefold() for path in paths))


def _names(text: str) -> frozenset[str]:
    """The identifiers in a text, without file names, and sentences that lack a space after their full stop."""
    files = {path.rpartition("/")[2] for path in _paths(text)}
    return frozenset(
        name.casefold()
        for name in identifiers_of(text)
        if _HAS_WORD.search(name)
        and not _SENTENCE_BREAK.search(name)
        and name.casefold() not in files
        and any(map(is_distinctive, count_terms(name)))
    )


def _shared_terms(terms: Sequence[str], parts: frozenset[str], memory: MemoryText, rarity: Rarity) -> dict[str, float]:
    """The rare terms that a memory shares, each with its strength."""
    tools = tool_terms()
    shared: dict[str, float] = {}
    for term in terms:
        if term in memory.terms and rarity.is_rare(term):
            is_named = term in memory.choices or term in tools
            is_weak = is_unspaced(term) or ((term in parts or is_everyday(term)) and not is_named)
            shared[term] = WEAK if is_weak else STRONG
    return shared


def _is_same_file(path: str, other: str) -> bool:
    """Whether two paths may name the same file: one ends with the other, and that says which file it is."""
    shorter, longer = sorted((path, other), key=len)
    return shorter not in _COMMON_FILES and (longer == shorter or longer.endswith(f"/{shorter}"))


_ACTIVITIES = {
    "tests": (
        "test tests testing tested unittest* prueba pruebas testes essais тест* 测试 測試 テスト",
        "still_works still_work works_after coverage funktioniert_noch sigue_funcionando",
    ),
    "commits": ("commit* push pushes pushing 提交 コミット коммит*", "git pull_request"),
    "documentation": (
        (
            "readme readmes md mds markdown docs doc document documents documentation documenting changelog summary"
            " summaries documentación dokument* 文档 ドキュメント документ*"
        ),
        "write_down write_it_down write_this_down write_up summarize summarise 总结 まとめ",
    ),
    "logging": ("log logs logging logger loggers 日志 ログ логир* логи", "console.log"),
    "the database": (
        (
            "sql database databases db query queries migration migrations migraciones datenbank* base_de_datos 数据库"
            " データベース базе_данных базы_данных"
        ),
        "table tables column columns schema records how_many tabla tablas",
    ),
    "dependencies": (
        (
            "dependency dependencies library libraries package packages install installs installing dependencia"
            " dependencias bibliothek* 依赖 パッケージ зависимост*"
        ),
        "npm pnpm yarn bun pip poetry uv cargo",
    ),
    "running programs": (
        "server servers uv python python3 terminal powershell command commands servidor 服务器 サーバ сервер*",
        "run runs running start starts starting restart execute in_the_browser 运行 启动 起動 実行 запуст*",
    ),
    "comments": (
        "comment comments comentario comentarios commentaire commentaires kommentar* 注释 コメント комментар*",
        "",
    ),
    "the look": (
        (
            "emoji emojis emojies icon icons color colors colour colours style styles styling font fonts theme css"
            " tailwind colores farbe farben 颜色 样式 デザイン цвет*"
        ),
        "ui button buttons layout landing_page design dark_mode header footer sidebar 按钮 界面 画面",
    ),
    "plans": ("plan plans planning todo todos to-do to-dos roadmap 计划 計画 план", "next_step next_steps priorit*"),
    "translations": ("translat* i18n locali* traduc* übersetz* 多语言 翻译 翻訳 перевод*", ""),
    "deployment": (
        "deploy* production staging desplega* desplieg* 部署 デプロイ 上线 деплой*",
        "release publish go_live 发布",
    ),
    "names": (
        "naming kebab* snake_case snakecase camelcase name_of names_of name_files name_variables 命名",
        "rename*",
    ),
    "repairs": (
        "fix fixes fixing workaround workarounds bug bugs hack hacks 修复 バグ",
        "broken crash* throws error errors fail fails 崩溃 报错 エラー",
    ),
    "branches": ("branch branches merge* rebase* 分支 ブランチ ветк*", ""),
    "types": ("typing typings typescript type-check* type-safe* type_hints 类型", "type_error type_errors interfaces"),
}
"""Steps of the work on which users state rules: the words of rules and prompts, and those of prompts alone. A word that
ends with `*` stands for all words with that beginning, `_` for a space.
"""

COMMANDS = "commands"
_STEPS_OF_LIMITS = frozenset((COMMANDS, "tests"))
"""Steps of the work that run something, and so need what the environment may lack."""

_RUNS = lazy_regex(
    r"(?i)(?:(?:^|[.!?;:,])\s{0,9}|\b(?:and|then|now|please|pls|to|you|just|also|again|let['’]?s|ok|und|dann|bitte|mal|jetzt"
    r"|y|luego|ahora|e|depois|agora|et|puis|maintenant)[\s,]{1,3})"
    r"(?:(?:re-?)?(?:run(?! (?:out|into)\b)|start(?! (?:with|by|from|over|at)\b)|launch|test|deploy|install|compile"
    r"|boot|build(?! (?:an?|me|on|upon|out|up)\b))|execute|benchmark|verify|validate|reproduce|migrate"
    r"|starte|teste|kompiliere|installiere|baue?(?! ein)|f[üu]hre? [^.!?\n]{1,60} aus\b|lass [^.!?\n]{1,60} laufen"
    r"|ejecuta|corre|arranca|inicia|lanza|levanta|compila|prueba|instala|despliega|construye(?! un)"
    r"|rode|roda|inicie|suba|instale|implante|construa(?! um)"
    r"|(?:re)?lance|exécute|démarre|installe|déploie|construis(?! un))\b"
)
"""A request to run something: a verb of it at the beginning of a clause."""

_HERE = r"\b(?:here|locally|hier|lokal|aqu[íi]|ici|localmente?|en local)\b"
_LACKS_HERE = (
    r"(?:\b(?:is|are|am|have|has|got|there['’]s) no\b"
    r"|\b(?:is|are)(?:n['’]t| not) (?:\w+ ){0,2}(?:available|installed|possible|supported|reachable|accessible)"
    r"|\bdo(?:es)?(?:n['’]t| not) (?:have|work|run|start|build)\b|\bonly\b[^.!?\n]{1,60} works?\b"
    r"|\b(?:unavailable|fails?|can(?:not|['’]?t| not))\b"
    r"|\b(?:gibt(?: es|['’]?s)|habe?n?|ist|sind|läuft|laufen|geht) (?:[\w.-]+ ){0,4}(?:kein\w{0,2}|nicht)\b"
    r"|\bno (?:hay|tengo|tenemos|est[áa]n?|funcionan?|se puede|puedo|podemos)\b"
    r"|\bn[ãa]o (?:h[áa]|tem|tenho|temos|est[áa]|est[ãa]o|funcionam?|d[áa] para|consigo|posso)\b"
    r"|\baucune?\b|\bpas d['’e]"
    r"|\b(?:n['’](?:est|a|ai|avons|y a)|ne (?:marche|fonctionne|sont|peut|peux)\w{0,2}) (?:\w+ )?pas\b)"
)
_LIMIT = lazy_regex(
    r"(?i)\bon (?:this|my) (?:machine|box|laptop|computer|host|mac(?:book)?|pc|vm|workstation)\b"
    r"|\bin (?:this|my) (?:container|sandbox|environment|vm|codespace|devcontainer|shell)\b"
    r"|\bauf (?:diese[mr]|meine[mr]) (?:maschine|rechner|kiste|laptop|mac|computer|gerät)\b"
    r"|\bin (?:diese[mr]|meine[mr]) (?:container|sandbox|umgebung|vm)\b"
    r"|\ben (?:est[ea]|mi) (?:m[áa]quina|ordenador|port[áa]til|contenedor|entorno|computadora|sandbox)\b"
    r"|\bn(?:est[ea]|ess[ea]|a minha|o meu) (?:m[áa]quina|computador|ambiente|cont[êe]iner|container|notebook|pc)\b"
    r"|\bsur (?:cette|ma|ce|mon) (?:machine|poste|ordinateur|portable|mac)\b"
    r"|\bdans (?:cet?|cette|mon) (?:conteneur|environnement|sandbox|vm)\b"
    rf"|{_HERE}[^.!?\n]{{0,120}}?{_LACKS_HERE}|{_LACKS_HERE}[^.!?\n]{{0,120}}?{_HERE}"
    r"|\b(?:no (?:[\w./+-]+ ){1,4}(?:here|locally)|kein\w{0,2} (?:[\w./+-]+ ){1,3}hier)\b"
    r"|\b(?:(?:is|are)(?:n['’]t| not) (?:\w+ )?available|nicht verfügbar|no est[áa]n? disponibles?|pas disponibles?"
    r"|n[ãa]o est(?:á|ão) dispon[íi]ve(?:l|is))(?=\s{0,3}(?:[,;:.!)–—-]|$)| (?:so|use|yet)\b)"
    r"|\b(?:(?:is|are)(?:n['’]t| not) (?:\w+ )?installed|nicht (?:installiert|vorhanden)|no est[áa]n? instalad[oa]s?"
    r"|n[ãa]o est(?:á|ão) instalad[oa]s?|pas installée?s?)\b"
    r"|\b(?:i|we|you) can(?:not|['’]?t| not) (?:run|start|build|execute|install|launch|access|reach|deploy|compile)\b"
    r"|\bcan(?:not|['’]?t| not) (?:run\b|be (?:run|started|built|installed|executed|launched)\b)"
    r"|\b(?:no|without) (?:[\w.-]+ ){0,3}(?:access|credentials|internet|simulators?|emulators?|gpus?|sudo|vpn|docker)"
    r"(?=\s{0,3}(?:[,;:.!)]|$)| (?:so|and|but|at all|yet|available)\b)"
)


def states_limit(text: str) -> bool:
    """Whether a statement is about the machine at hand, or names what it lacks: "docker isn't installed"."""
    return _LIMIT.search(text) is not None


_STEP_WORD = lazy_regex(r"[^\W_]+(?:[-.'’][^\W_]+)*")


class _StepTable(NamedTuple):
    """Steps of the work by the words that name them."""

    words: Mapping[str, frozenset[str]]
    beginnings: Mapping[str, frozenset[str]]
    phrases: Mapping[str, frozenset[str]]
    phrase: re.Pattern[str]


def _table_of(words_by_name: Mapping[str, str]) -> _StepTable:
    names: dict[str, set[str]] = {}
    for name, listed in words_by_name.items():
        for word in listed.split():
            names.setdefault(word.replace("_", " "), set()).add(name)
    phrases = {word: frozenset(steps) for word, steps in names.items() if " " in word or word[0] > "\u2e00"}
    plain = {word: frozenset(steps) for word, steps in names.items() if word not in phrases}
    return _StepTable(
        {word: steps for word, steps in plain.items() if not word.endswith("*")},
        {word[:-1]: steps for word, steps in plain.items() if word.endswith("*")},
        phrases,
        lazy_regex("|".join(map(re.escape, phrases))),
    )


@cache
def _rule_table() -> _StepTable:
    return _table_of({name: words for name, (words, _) in _ACTIVITIES.items()})


@cache
def _prompt_table() -> _StepTable:
    return _table_of({name: f"{words} {more}" for name, (words, more) in _ACTIVITIES.items()})


_OWN_LIBRARY = lazy_regex(r"\b(?:the|this|our) (?:library|package)\b", re.IGNORECASE)
"""A project that is itself a library, and so not a dependency."""


def activities_of_rule(text: str) -> frozenset[str]:
    """Return the steps of the work that a rule is about."""
    return _activities(_OWN_LIBRARY.sub(" ", text), _rule_table())


def activities_of_prompt(text: str) -> frozenset[str]:
    """Return the steps of the work that a prompt asks for or is likely to need."""
    return _activities(text, _prompt_table())


def _activities(text: str, table: _StepTable) -> frozenset[str]:
    lower = text.lower()
    words = set(_STEP_WORD.findall(lower))
    words |= {part for word in words if "." in word for part in word.split(".")}
    found = [table.words[word] for word in words if word in table.words]
    found += [table.phrases[match[0]] for match in table.phrase.finditer(lower)]
    beginnings = tuple(table.beginnings)
    for word in words:
        if word.startswith(beginnings):
            found += [steps for beginning, steps in table.beginnings.items() if word.startswith(beginning)]
    return frozenset().union(*found)
