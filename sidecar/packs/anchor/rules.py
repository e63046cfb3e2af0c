"""Rules in a project's instruction files, each shown once; what the host already sends is omitted. Pure."""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import NamedTuple

from sidecar.core.clean_text import one_line
from sidecar.core.ide_rules_files import AGENT_FILES
from sidecar.core.lazy_regex import lazy_regex
from sidecar.core.markdown import Line, split_front_matter
from sidecar.core.prose_sentences import split_at_full_stops
from sidecar.packs.anchor.markdown_parts import (
    bullets,
    document_title,
    introduced_items,
    normalize,
    numbered_sentences,
    outer_title,
    plain,
    prose_lines,
)

MAX_RULES = 24
"""Maximum number of rules from one file."""

_RULE = lazy_regex(
    r"(?i)\b(must(?: not|n't)?|never|always|do not|don't|only|required?|forbidden|shall|avoid|prefer|ensure|use)\b"
)
_STRONG = lazy_regex(
    r"(?i)\b(?:"
    r"must(?: not|n't)?|never|always|(?<![\w)`] )(?:do not|don't)"
    r"|(?<!\bthat )(?<!\bwhich )(?<!\bwho )(?<!\bthey )(?:do not|don't)"
    r"(?! (?:work|mean|need|exist|matter|seem|appear|contain|require|support|rewrite)\b)"
    r"|forbidden|(?:(?:is|are|be)|it['’]s) (?:strictly )?(?:mandatory|prohibited)(?! (?:by|for)\b)"
    r"|shall|required(?! (?:by|for|to)\b)|ha(?:s|ve) to|(?:is|are) not allowed"
    r"|may not(?! (?:even|have|know|need|want|work|exist|apply|be (?:able|aware|enough|possible))\b)"
    r"|(?:nobody|no (?:[\w`'’-]+ ){1,4}?)(?:may|can|should)(?! (?:be (?:able|aware)|know|help|guarantee)\b)"
    r"|(?:^|(?<=[.!?] ))(?:every|each|all) (?!(?:of )?(?:you|we|that|it)\b)(?:[\w`'’./-]+ ){1,6}?needs? (?:an?|to)(?= )"
    r"|niemand (?:darf|kann|mag)|nadie puede|ningu[ée]m pode|personne ne peut|nessuno pu[òo]|никто не может"
    r"|nunca|jamais|siempre|sempre|deben?|devem?|proibid[oa]s?|prohibid[oa]s?|obrigat[óo]ri[oa]s?|obligatori[oa]s?"
    r"|n[ãa]o (?:us[ea]\w*|utiliz\w+|pode[m]?|fa[çc]a\w*|cri[ae]\w*|adicion\w+)|t[êe]m (?:que|de)"
    r"|no (?:us(?:es?|ar|en)|utili[cz]\w+|pued(?:e|en|es)|se permiten?|hag[oa]\w*|hacer)|hay que|tiene[ns]? que"
    r"|toujours|doi(?:t|vent)|interdite?s?|obligatoires?|il faut|ne pas|n(?:e |['’])\w+ (?:pas|jamais)"
    r"|niemals|immer|m(?:uss|uß|[üu]ssen)|d(?:[üu]rfen|arf)\b[^.!?]{0,40}\b(?:nicht|keine?[mnrs]?|nie)|nicht erlaubt"
    r"|verboten|dev(?:e|ono)|vietat[oaie]|bisogna|non (?:usare|utilizzare|fare|modificare|si (?:deve|pu[òo]|usa))"
    r"|nooit|altijd|moet(?:en)?|m(?:ag|ogen)\b[^.!?]{0,40}\b(?:niet|geen)|verboden|niet toegestaan"
    r"|никогда|всегда|долж(?:ен|на|но|ны)|обязан[аоы]?|необходимо|нельзя|запрещен[оаы]?|запрещён|не \w+йте"
    r")(?!\w)"
    r"|必ず|禁止|しないで|ないでください|(?:しては|ては)(?:いけ|なら)|なければ(?:なら|なり|いけ)|べき(?:で|だ|[。.])|こと[。.]"
    r"|必须|不得|不要|务必|严禁|切勿|不能|不允许|应当|应该"
)
"""Words that make a statement a rule: English, Portuguese, Spanish, Italian, French, German, Dutch, Russian, Japanese
and Chinese.
"""

_NO_RULE = lazy_regex(
    r"(?i)^\(|\b(?:does not|doesn't) mean\b|\bno need to\b|\b(?:do not|don['’]t) (?:hesitate|worry|be (?:afraid|shy))\b"
)
"""An aside, an encouragement, or a statement that says what one need not do."""

_HEADING_LINK = lazy_regex(r"\[[^\]\n]{1,300}\]\(#[^)\s]{0,300}\)\W*$")
"""An item of a table of contents."""

_SYNTAX_HEADING = lazy_regex(r"(?i)\b(?:search|query|filter|command) (?:syntax|operators?)\b")
"""Headings of sections that describe what a tool understands."""

_REFERS_BACK = lazy_regex(
    r"(?i)[\W_]{0,4}(?:(?:otherwise|else|then|if (?:not|so|present|absent|missing|it|they)"
    r"|when (?:present|absent|set|missing)"
    r"|in (?:this|that|such a|either) case|sen[ãa]o|caso contr[áa]rio|n(?:es[ts]e|aquele) caso"
    r"|se (?:n[ãa]o|no|sim|s[ìi])(?=,)"
    r"|ent[ãa]o|de lo contrario|en (?:caso contrario|es[et]e? caso)|si (?:no|non|oui|es as[íi])(?=,)|entonces"
    r"|altrimenti"
    r"|in (?:caso contrario|(?:tal|questo|quel) caso)|allora|sinon|dans (?:le cas contraire|ce cas)|alors|andernfalls"
    r"|ansonsten|sonst|(?:wenn|falls) (?:nicht|ja)(?=,)|in (?:diesem|dem) fall|dann|anders(?! dan\b)|zo (?:niet|ja)"
    r"|in (?:dat|dit) geval|dan|иначе|в (?:противном|этом|таком) случае|если (?:нет|да)(?=,)|тогда)(?![\w'’-])"
    r"|(?:it|they|this|these|those) (?:must|should|shall|may|can|needs?|ha(?:s|ve) to)\b"
    r"|(?:(?:please|also|and|but|so|you|we|agents?|instead|therefore),? ){0,2}"
    r"(?:(?:do|must|should|shall|may) not|(?:do|must)n['’]t|never|always|must|should|shall|avoid|ensure|only"
    r"|prefer|use)"
    r"(?: (?:ever|directly|manually|simply|just))?(?: (?!the\b|an?\b)[a-z]{2,20})?"
    r"(?: (?:on|in|to|with|at|from|for|by|into|of))? "
    r"(?:(?:it|them|they|its|their)\b(?!['’]| (?:clear|eas(?:y|ier)|possible|explicit|obvious|simple)\b)"
    r"|(?:this|these|those|that)(?= tools?\b|[.,;:!?)]|$)"
    r"|(?:this|these|those)(?= (?:in|on|for|when|if|unless|before|after|with|without|to|by"
    r"|as|at|from|and|or|because|yourself|again|first|manually|directly)\b))"
    r"|\w{2,20} (?:sie|ihn|es|diese|ze|het|hem|deze) (?:nie(?:mals)?|nicht|immer|nur|nooit|niet|altijd|alleen)\b"
    r"|ne (?:pas )?(?:l['’]|(?:les?|la|y|en) )\w|(?:no|nunca) (?:l[aeo]s?) \w|n[ãa]o (?:os?|as?) \w|non (?:l[aeio]) \w"
    r"|(?:no|nunca|non|mai|n[ãa]o) \w{2,20}(?:-l?[ao]s?|[aei]r(?:l[aeio]|l[ao]s))\b"
    r"|(?:никогда |всегда )?(?:не )?\w{2,20}(?:йте|ть) (?:их|его|её|ее|это)\b"
    r"|(?:そうで(?:なければ|ない場合)|それ以外の場合|さもなければ|その場合|(?:そ|こ)れ(?:ら)?(?:を|は|に))"
    r"|否则|如果不是|(?:在)?这种情况下|(?:不要|切勿|不得|严禁|禁止|请勿|不能|必须|务必)[^，。、它其]{1,4}(?:它们?"
    r"|其(?![他它余中])))"
)
"""Beginning of a sentence about something, or a case, that only the sentence above it names."""

_CONDITION = lazy_regex(
    r"(?i)\b(?:if|when|unless|only|once|otherwise|except|wenn|falls|nur|sobald|quand|si|lorsque|seulement|sauf|cuando|solo"
    r"|s[óo]lo|quando|se|apenas|somente|als|wanneer|alleen|tenzij|если|когда|только)\b|場合|とき|如果|只有|仅|除非"
)
"""Words by which a sentence limits when it holds."""

MAX_RULE = 220
"""Maximum number of characters of a rule."""

_BASE_BRANCH = lazy_regex(
    r"(?i)\bbranch(?:es)? (?:\W{0,3}from|off|based on)\b|\btarget(?:ing)? (?:the )?\S{1,40} branch\b"
)
_CONSEQUENCE = lazy_regex(
    r"(?i)\b(?:otherwise|or else)\b[^.]{0,40}\b(?:tests?|builds?|checks?|CI)\b[^.]{0,30}\bfails?\b"
)
"""Requirements of contributing that hold for an agent's work, too: where it begins, and what lets the checks fail."""

MAX_SENTENCE_LINES = 6
"""Maximum number of lines from a sentence's beginning to the colon that introduces items."""

_PROCEDURE = lazy_regex(
    r"(?i)\b(pull[- ]?requests?|PRs?|issues?|maintainers?|reviewers?|your contributions?|sign(?:ed)?[- ]off|CLA"
    r"|licen[cs]e|code of conduct|fork|vulnerabilit\w+|discussions?|discord|e-?mails?|rebase|squash|stack overflow"
    r"|publish\w*|releas\w+|submit\w*|LLMs?|github)\b"
)
"""Topics that contribution guides require of contributors, not of the code."""

_ABOUT_CODE = lazy_regex(
    r"(?i)(?:(?:keep in mind|note|remember) that )?(?:every|each|all|any|no|nobody|none of)\s"
    r"|(?:please )?(?:never|do not|don['’]t) (?:access|add|call|catch|depend|expose|hard-?code|import|introduce|log"
    r"|mutate|return|store|throw|use)\b"
)
"""Beginnings of sentences about all things of a kind, and of prohibitions that are about code."""

_PROTECTED_PATH = lazy_regex(
    r"(?i)\W{0,3}(?:please )?(?:never|do not|don['’]t) (?:manually |directly )?"
    r"(?:edit|modify|change|touch|commit|update|check in|include (?:any )?changes (?:to|in|of))\b[^.`]{0,40}"
    r"`(?=[^`\s]*[/.])[^`\s]{2,80}`"
)
"""A prohibition to change a path: it is about the code whoever it asks."""

_OF_READER = lazy_regex(
    r"(?i)\b(?:you|yours?|we|our|contribut\w+|commit\w*|branch(?:es)?|patch(?:es)?|changes?|changelogs?|merg\w+|CI"
    r"|checks? pass|communit\w+|participants?|everyone|interactions?|conversations?|developers?|people|persons?)\b"
)
"""Subjects of a sentence in a contributing guide that asks something of its reader."""

_REVIEW = lazy_regex(r"(?i)\breview")
_TRAP_HEADING = lazy_regex(
    r"(?i)\b(gotchas?|pitfalls?|landmines?|caveats?|known issues?|traps?|beware|common mistakes)\b"
)
_FORBIDDING_HEADING = lazy_regex(
    r"(?i)^\W*(?:(?:do not|don['’]?ts?|never|avoid|anti-?patterns?|(?:what|things) (?:not )?to (?:not do|avoid))\W*$"
    r"|what not to do\b|things not to do\b)"
)
"""Headings under which each item says what not to do, however it is worded."""

_GENERAL_HEADING = frozenset(
    "a about all and architecture basic basics before best build building changes check checklist checks code"
    " codebase coding commands common conduct consistency contribute contributing contribution contributions"
    " contributor contributors convention conventions core default design dev develop developer developers developing"
    " development do don't dos donts engineering expectations few for general getting goals gotchas ground guide"
    " guideline guidelines guides hard how important in instructions introduction key local making must naming non-"
    " negotiable note notes of on our overview philosophy please policies policy practice practices principles process"
    " project quality quick repo repository required requirements rule rules running set setup source standard"
    " standards start started steps structure style styles styling styleguide submitting summary test testing tests"
    " the things this tips to what when work workflow working writing you your".split()
)
"""Words of headings that leave the subject of a rule below them to the rule: it is about the repository's code."""

MAX_SECTION = 60

_HEADING_WORD = lazy_regex(r"[^\W\d_][\w'’-]*")

_INCLUDE = lazy_regex(r"(?<![\w`@/])@((?:\.{0,2}/)?[\w][\w./-]*\.(?:md|mdc|txt))\b")


_RULE_FOLDERS = (".cursor/rules/", ".claude/rules/", ".github/instructions/")
_ALWAYS = lazy_regex(r"(?m)^alwaysApply:[ \t]*true[ \t]*$")
_SCOPE = lazy_regex(r"(?m)^(?:globs|applyTo|paths):[ \t]*+[\[\"']*([^\n]{1,200}?)[\]\"' \t]*$")
_EVERYTHING = frozenset(("*", "**", "**/*", "**/**", "**/*.*", "/**/*.*"))
_RULES_OF_TOOLS = frozenset(
    (
        "cursor_rules.mdc", "self_improve.mdc", "derived-cursor-rules.mdc", "dev_workflow.mdc", "taskmaster.mdc",
        "byterover-rules.mdc",
    )
)  # fmt: skip
"""Files that tools write about themselves, or collect from chats."""


class ProjectDocument(NamedTuple):
    """An instruction file, a README, an ADR or a specification."""

    path: str
    text: str


class Rule(NamedTuple):
    """A rule of the project, and where it is stated."""

    text: str
    path: str
    line: int
    section: str = ""
    """The subject that its section names; empty for the repository's code in general."""

    def __str__(self) -> str:
        """Return the rule's line in the anchor."""
        subject = f"{one_line(plain(self.section), MAX_SECTION)}: " if self.section else ""
        return f"- {subject}{one_line(plain(self.text), MAX_RULE)} ({one_line(self.path, 200)}:{self.line})"


def sent_paths(
    documents: Sequence[ProjectDocument], host_sends: frozenset[str], links: Mapping[str, str]
) -> frozenset[str]:
    """Return the instruction files that the agent receives without us.

    `host_sends` are names the host or the provider sends. A link with such a name sends its target, and a file that is
    sent also sends what it includes (`@AGENTS.md`).
    """
    texts = {document.path: document.text for document in documents}
    queue = [path for path in texts if path.rpartition("/")[2] in host_sends]
    queue += [target for link, target in links.items() if link.rpartition("/")[2] in host_sends]
    sent: set[str] = set()
    while queue:
        path = queue.pop()
        if path not in sent:
            sent.add(path)
            queue.extend(included_files(path, texts.get(path, "")))
    return frozenset(sent)


def included_files(path: str, text: str) -> list[str]:
    """Return the files that an instruction file includes by `@path`, relative to the workspace."""
    folder = path.rpartition("/")[0]
    names = (match[1] for line in prose_lines(text) for match in _INCLUDE.finditer(line.text))
    return list(dict.fromkeys(_resolve(folder, name) for name in names))


def _resolve(folder: str, name: str) -> str:
    parts = [part for part in folder.split("/") if part]
    for part in name.split("/"):
        if part == ".." and parts and parts[-1] != "..":
            parts.pop()
        elif part not in ("", ".") and (part != ".." or parts):
            parts.append(part)
    return "/".join(parts)


class RuleFiles(NamedTuple):
    """The rule files written for other agents, as far as they are not sent."""

    always: tuple[ProjectDocument, ...]
    """Those that hold whatever the work is, without front matter; lines keep their numbers."""
    others: tuple[ProjectDocument, ...]


def split_rule_files(documents: Sequence[ProjectDocument], *, reads_claude_rules: bool) -> RuleFiles:
    """Divide the rule files of other agents by their front matter; Claude Code reads its own."""
    always, others = [], []
    for document in documents:
        is_for_claude = document.path.startswith(".claude/")
        if is_for_claude and reads_claude_rules:
            continue
        parts = split_front_matter(document.text)
        matter = parts.matter or ""
        scope = _SCOPE.search(matter)
        is_unlimited = scope[1] in _EVERYTHING if scope else is_for_claude
        is_of_tool = document.path.rpartition("/")[2].replace(".instructions.md", ".mdc") in _RULES_OF_TOOLS
        if not is_of_tool and (_ALWAYS.search(matter) or is_unlimited):
            lines = document.text.count("\n") - parts.body.count("\n")
            always.append(document._replace(text="\n" * lines + parts.body))
        else:
            others.append(document)
    return RuleFiles(tuple(always), tuple(others))


def rule_file_lines(documents: Sequence[ProjectDocument]) -> list[str]:
    """Return a line for each rule file of some kind of work: which, and where it is."""
    lines = []
    for document in documents:
        scope = _SCOPE.search(split_front_matter(document.text).matter or "")
        about = one_line(scope[1], 100) if scope and scope[1] not in _EVERYTHING else ""
        path = one_line(document.path, 200)
        lines.append(f"- For work on {about} read {path}." if about else f"- More rules are in {path}.")
    return lines


def rule_lines(documents: Sequence[ProjectDocument], sent: frozenset[str], nested: Sequence[str]) -> list[str]:
    """Return a line for each rule, in the files' order, strict ones first; then where to find more.

    `nested` are instruction files of single folders.
    """
    lines = [
        f"- {document.path} holds the project's instructions (you have it already)."
        for document in documents
        if document.path in sent and document.text.strip()
    ]
    lines += [str(rule) for rule in _without_repeats(documents, sent, _rules_in)]
    known = {*sent, *(document.path for document in documents)}
    lines += [
        f"- More rules are in {one_line(path, 120)}, which {document.path} includes."
        for document in documents
        for path in included_files(document.path, document.text)
        if path not in known
    ]
    for path in nested:
        folder = path.rpartition("/")[0]
        condition = _condition_of(path, folder, documents)
        if condition is None:
            lines.append(f"- Before work in {one_line(folder, 120)}/ read {one_line(path, 200)}.")
        elif condition.text and condition.path not in sent and not _is_stated(condition.text, lines):
            lines.append(str(condition))
    return list(dict.fromkeys(lines))


def _condition_of(path: str, folder: str, documents: Sequence[ProjectDocument]) -> Rule | None:
    """Return the sentence that names an instruction file only for some case; None if it is for any work in its folder.

    The sentence is empty if it does not fit, or not together with what it refers to.
    """
    name = lazy_regex(rf"(?<![\w./-]){re.escape(path)}(?![\w/-])")
    in_folder = lazy_regex(rf"(?<![\w./-]){re.escape(folder)}(?:/(?!\w)|`)")
    for document in documents:
        if path not in document.text:
            continue
        sentences = _all_sentences(document.text)
        for line, _ in sentences:
            if name.search(line.text) and _CONDITION.search(line.text):
                if in_folder.search(name.sub(" ", line.text)):
                    return None
                whole, _ = _with_antecedent(line, sentences) or (line, ())
                fits = len(plain(whole.text)) <= MAX_RULE and not _refers_back(whole)
                return Rule(whole.text if fits else "", document.path, whole.number)
    return None


def _is_stated(text: str, lines: Iterable[str]) -> bool:
    """Whether a line contains a text, regardless of marks."""
    normalized = normalize(plain(text))
    return any(normalized in normalize(line) for line in lines)


def trap_lines(documents: Sequence[ProjectDocument], sent: frozenset[str]) -> list[str]:
    """Return a line for each known trap under a heading of that meaning."""
    return [str(rule) for rule in _without_repeats(documents, sent, _traps_in)]


def _without_repeats(
    documents: Sequence[ProjectDocument], sent: frozenset[str], read: Callable[[ProjectDocument], list[Line]]
) -> Iterable[Rule]:
    """The rules of files that are not sent, without those stated earlier or in a file that is sent.

    One that several sections state is of none of them.
    """
    sent_text = "\n".join(normalize(document.text) for document in documents if document.path in sent)
    rules: dict[str, Rule] = {}
    for document in documents:
        if document.path in sent:
            continue
        title = outer_title(document.text)
        for line in read(document)[:MAX_RULES]:
            section = "" if _is_for_agents(document) else _subject_of(line.headings, title)
            normalized = normalize(line.text)
            if normalized in sent_text:
                continue
            known = rules.setdefault(normalized, Rule(line.text, document.path, line.number, section))
            if known.section != section:
                rules[normalized] = known._replace(section="")
    return rules.values()


def _subject_of(headings: Sequence[str], title: str) -> str:
    """Return the innermost heading that names a subject, without the document's title; empty if none does."""
    sections = headings[1:] if headings[:1] == (title,) else headings
    named = (heading for heading in reversed(sections) if not _general(heading) and not _TRAP_HEADING.search(heading))
    return next(named, "")


def _general(heading: str) -> bool:
    """Whether a heading only says that rules for the repository's code follow, or is a question."""
    return heading.rstrip().endswith("?") or all(
        word in _GENERAL_HEADING for word in _HEADING_WORD.findall(heading.casefold().replace("’", "'"))
    )


def _is_for_agents(document: ProjectDocument) -> bool:
    return document.path.startswith(_RULE_FOLDERS) or document.path.rpartition("/")[2] in AGENT_FILES


_WORKERS = r"(?:authors?|maintainers?|developers?|contributors?|creators?|writers?)"


def _is_of_others(line: Line, introductions: Mapping[tuple[str, ...], str]) -> bool:
    """Whether the section of a line begins with whom it is for: those who work on other things of its heading's kind.

    "Plugins" may begin with "Contributors to our plugins must …", or with "Plugin authors …".
    """
    words = _HEADING_WORD.findall(line.headings[-1].casefold()) if line.headings else []
    introduction = introductions.get(line.headings, "").casefold()
    kind = re.escape(words[-1].removesuffix("s")) if words else ""
    pattern = rf"\b(?:{_WORKERS} (?:to|of) (?:[\w`'’-]{{1,30}} ){{0,3}}?{kind}s?\b|{kind}s? {_WORKERS}\b)"
    return bool(kind) and kind not in _GENERAL_HEADING and re.search(pattern, introduction) is not None


def _rules_in(document: ProjectDocument) -> list[Line]:
    """The list items that state a rule, strict ones first; none in a guide for reviewers.

    A file written for agents yields any rule, and sentences of its prose that are strict; another file strict list
    items, and strict sentences about the code.
    """
    if _REVIEW.search(document_title(document.text)):
        return []
    for_agents = _is_for_agents(document)
    pattern = _RULE if for_agents else _STRONG
    stated = numbered_sentences(document.text)
    if not for_agents:
        stated = [line for line in stated if _is_about_code(line)]
    rules = [line for line in stated if _STRONG.search(line.text) and not _is_trap(line) and not _is_no_rule(line)]
    with_items = set[int]()
    introduced = introduced_items(document.text)
    for at, line in enumerate(rules):
        ends = [
            number
            for number in introduced
            if 0 <= number - line.number < MAX_SENTENCE_LINES and line.text.endswith((":", "："))
        ]
        if ends:  # an item means little without the sentence that introduces it
            items = introduced[min(ends)]
            with_items.update(item.number for item in items)
            rules[at] = line._replace(text=f"{line.text} {'; '.join(item.text.rstrip('.;,') for item in items)}")
    rules += [
        line
        for line in (map(_as_forbidden, bullets(document.text)) if for_agents else bullets(document.text))
        if (pattern.search(line.text) or _STRONG.search(line.text) or _CONSEQUENCE.search(line.text))
        and line.number not in with_items
        and not _is_trap(line)
        and not _is_no_rule(line)
        and (for_agents or _is_of_work(line) or not _PROCEDURE.search(line.text))
    ]
    if not for_agents:
        introductions: dict[tuple[str, ...], str] = {}
        for line in prose_lines(document.text):
            if line.text.strip():
                introductions.setdefault(line.headings, line.text)
        rules = [line for line in rules if not _is_of_others(line, introductions)]
    rules = _with_antecedents(rules, document.text)
    return sorted(rules, key=lambda line: (not _STRONG.search(line.text), line.number))


def _with_antecedents(lines: Sequence[Line], text: str) -> list[Line]:
    """Return the lines, those that refer back with what they refer to; one that is part of another one is left out.

    A line that refers to nothing in the text, or does not fit together with it, is left out.
    """
    if not any(map(_refers_back, lines)):
        return list(lines)
    sentences = _all_sentences(text)
    whole = [(line, *joined) for line in lines if (joined := _with_antecedent(line, sentences))]
    parts = {(part.number, part.text) for *_, antecedents in whole for part in antecedents}
    return [joined for line, joined, _ in whole if (line.number, line.text) not in parts]


def _refers_back(line: Line) -> bool:
    return _REFERS_BACK.match(plain(line.text)) is not None


class _Sentence(NamedTuple):
    """A sentence at the number of the line it begins in; one of a list item at that of the item."""

    line: Line
    is_in_item: bool


def _all_sentences(text: str) -> list[_Sentence]:
    """Return the sentences of the paragraphs and of the list items, in order."""
    in_items = ((item, part) for item in bullets(text) for part in split_at_full_stops(item.text) if part.strip())
    sentences = [_Sentence(item._replace(text=part), is_in_item=True) for item, part in in_items]
    sentences += [_Sentence(line, is_in_item=False) for line in numbered_sentences(text)]
    return sorted(sentences, key=_line_number)


def _line_number(sentence: _Sentence) -> int:
    return sentence.line.number


def _with_antecedent(line: Line, sentences: Sequence[_Sentence]) -> tuple[Line, list[Line]] | None:
    """Return a line with the sentences before it that it refers to, and these; None without them or without room.

    A paragraph below a list refers to all of the list.
    """
    whole, antecedents = line, list[Line]()
    if not _refers_back(whole):
        return whole, antecedents
    start, end = (bisect(sentences, line.number, key=_line_number) for bisect in (bisect_left, bisect_right))
    at = next((at for at in range(start, end) if line.text.startswith(sentences[at].line.text)), start)
    while _refers_back(whole):
        at -= 1
        before = sentences[at].line if at >= 0 else None
        if before is None or before.headings != whole.headings or whole.number - before.number > MAX_SENTENCE_LINES:
            return None
        if at + 1 < len(sentences) and sentences[at].is_in_item and not sentences[at + 1].is_in_item:
            return None
        mark = "" if before.text.endswith(_ENDS) else ";"
        whole = before._replace(text=f"{before.text}{mark} {whole.text}")
        antecedents.append(before)
        if len(plain(whole.text)) > MAX_RULE:
            return None
    return whole, antecedents


_ENDS = tuple(".!?:,;。！？：)）*")
"""Marks behind which the next sentence may begin."""


def _is_about_code(line: Line) -> bool:
    """Whether a sentence asks something of the code, and not of the reader."""
    if _PROTECTED_PATH.match(line.text):
        return True
    return _ABOUT_CODE.match(line.text.lstrip("*")) is not None and not (
        _OF_READER.search(line.text) or _PROCEDURE.search(line.text)
    )


def _is_of_work(line: Line) -> bool:
    """Whether an item of a contributing guide holds for an agent's work, too."""
    text = line.text
    return any((_PROTECTED_PATH.match(text), _BASE_BRANCH.search(text), _CONSEQUENCE.search(text)))


def _as_forbidden(line: Line) -> Line:
    """Return an item under a heading such as "Don't" with that word, without which it says the opposite."""
    is_forbidden = bool(line.headings) and _FORBIDDING_HEADING.search(line.headings[-1]) is not None
    return line._replace(text=f"Don't: {line.text}") if is_forbidden and not _STRONG.search(line.text) else line


def _traps_in(document: ProjectDocument) -> list[Line]:
    return [line for line in bullets(document.text) if _is_trap(line)]


def _is_no_rule(line: Line) -> bool:
    is_of_tool = bool(line.headings) and _SYNTAX_HEADING.search(line.headings[-1]) is not None
    return is_of_tool or any(pattern.search(line.text) for pattern in (_NO_RULE, _HEADING_LINK))


def _is_trap(line: Line) -> bool:
    return any(_TRAP_HEADING.search(heading) for heading in line.headings)
