"""Detects whether a prompt asks to create something, and what: English, Portuguese, Spanish, French, German. Pure.

Questions about creating, negated requests, quoted text and code do not count. The intent is the rest of the sentence
after the verb; it is the input of the reuse decision.
"""

import re
from functools import lru_cache

from sidecar.core.lazy_regex import lazy_regex

MAX_PROMPT = 4_000
"""Maximum number of characters searched: a request comes at the beginning, or is not one sentence."""

MAX_INTENT = 300

_VERBS = (
    r"create|build|write|implement|make|add|develop|design|generate|introduce|set up|scaffold|draft|code"
    r"|crie|criar|cria|construa|construir|escreva|escrever|implemente|implementar|adicione|adicionar|desenvolva|desenvolver"
    r"|faça|fazer|gere|gerar|monte|montar"
    r"|crea|crear|construye|construir|escribe|escribir|implementa|añade|añadir|agrega|agregar|desarrolla|desarrollar|haz"
    r"|hacer|genera|generar|diseña|diseñar"
    r"|crée|créer|crée-moi|construis|construire|écris|écrire|implémente|implémenter|ajoute|ajouter|développe|développer"
    r"|génère|générer|fais|faire|conçois|concevoir"
    r"|erstelle|erstellen|baue|bauen|schreibe|schreib|schreiben|implementiere|implementieren|ergänze|entwickle|entwickeln"
)
_REQUEST_PREFIXES = (
    r"please|pls|can you|could you|would you|now|then|and|also|let's|lets|let us|help me|go ahead and|next"
    r"|(?:i|we)(?: would like| want| need| have|'d like)(?: you)? to|you should|we should|i'll need you to"
    r"|por favor|agora|(?:eu )?(?:quero|preciso)(?: que você| de)?|você pode|pode|ahora|(?:yo )?(?:quiero|necesito)"
    r"|puedes|podrías|s'il te plaît|s'il vous plaît|maintenant|(?:je )?(?:veux|voudrais)|peux-tu|pouvez-vous|il faut"
    r"|bitte|jetzt|kannst du|ich (?:will|möchte|brauche)"
)
_NEED_PREFIXES = (
    r"(?:i|we) (?:need|want|would like)|(?:i|we)'d like|(?:eu )?(?:preciso de|quero)|precisamos de|queremos"
    r"|(?:yo )?(?:necesito|quiero)|necesitamos|(?:j'ai|nous avons) besoin d(?:e |')|(?:je veux|il me faut|il nous faut)"
    r"|(?:ich|wir) (?:brauche|brauchen|möchte|möchten|hätte gern)"
)
_ARTICLES = (
    r"a|an|another|some|the|new|um|uma|outro|outra|novo|nova|un|una|otro|otra|nuevo|nueva|une|une autre|un autre"
    r"|nouveau|nouvelle|des|ein|eine|einen|noch ein|me a|us a|me an|me um|me uma|me un|me una|moi un|moi une|mir ein"
    r"|mir eine|mir einen"
)
_CREATION_REQUEST = lazy_regex(
    rf"(?:^|[.!;:\n]\s{{0,20}}+|,\s{{0,20}}+)(?:(?:{_REQUEST_PREFIXES})[,\s]{{1,20}}+){{0,3}}(?:{_VERBS})\s+(?P<rest>[^\n.!?;]{{3,{MAX_INTENT}}})",
    re.IGNORECASE,
)
_NEED_STATEMENT = lazy_regex(
    rf"(?:^|[.!;:\n]\s{{0,20}}+)(?:{_NEED_PREFIXES})\s*(?:{_ARTICLES})\s+(?P<rest>[^\n.!?;]{{3,{MAX_INTENT}}})",
    re.IGNORECASE,
)
_LEADING_ARTICLES = lazy_regex(rf"^(?:(?:{_ARTICLES}|me|us|moi|mir|nos)\s+)+", re.IGNORECASE)
_QUOTED = lazy_regex(r"```.*?(?:```|\Z)|`[^`\n]*`|^>.*$|\"[^\"\n]{40,}\"", re.MULTILINE | re.DOTALL)
_NOT_CREATION = lazy_regex(
    r"^(?:sure|sense|use of|it|them|that|this|these|those|sure that|changes?|a change|a fix|a commit|commits?"
    r"|the tests? pass|certeza|isso|isto|ele|ela|eso|esto|lo|ça|cela|das|es|attention)\b",
    re.IGNORECASE,
)

_REQUEST = lazy_regex(
    r"\b(?:can|could|would|will) you\b|puedes|podrías|pode\b|peux-tu|pouvez-vous|kannst du", re.IGNORECASE
)


@lru_cache(maxsize=16)
def creation_intent(prompt: str) -> str | None:
    """Return what a prompt asks to create, in its own words; None if it asks for nothing new."""
    text = _QUOTED.sub(" ", prompt[:MAX_PROMPT]).replace("’", "'")
    matches = (match for pattern in (_CREATION_REQUEST, _NEED_STATEMENT) for match in pattern.finditer(text))
    for match in sorted(matches, key=lambda match: match.start()):
        rest = match["rest"].strip()
        if not _NOT_CREATION.match(rest) and not text[match.end("rest") :].lstrip().startswith("?"):
            return _LEADING_ARTICLES.sub("", rest) or None
        if "?" in text[match.end("rest") :][:1] and _is_request(match[0]):
            return _LEADING_ARTICLES.sub("", rest) or None
    return None


def _is_request(text: str) -> bool:
    """Whether a question is a request, as `can you …?` is."""
    return _REQUEST.search(text) is not None
