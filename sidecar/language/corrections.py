"""Whether a user's message corrects the agent, or repeats an earlier message. Pure.

A correction: the work is wrong, incomplete or not what was requested.

Only the beginning of the message and short sentences count: a long task that mentions an error is a task. What the user
pasted is blanked first. Questions for information and new wishes are not corrections.
"""

import re
from collections.abc import Iterable

from sidecar.core.lazy_regex import lazy_regex
from sidecar.core.terms import query_terms
from sidecar.language.own_words import own_words

MAX_OPENING = 240
"""Characters of a message's beginning that are read."""

_FORMS = (
    # Refusals that open a message.
    r"^(?:no|nope|nah|não|nein|non|нет|nie)\b(?!\s+(?:problem|worries|need|idea|rush|hurry|issue|longer|objection)\b)",
    r"^(?:wrong|incorrect|stop|wait,? no|hmm,? no|undo|revert|roll ?back)\b",
    r"^(?:不对|不是|错了|不行|違い|違う|ちがう|いや|いいえ)",
    # Not what was requested.
    r"\b(?:that|this|it)(?:'s| is|s) (?:not (?:what|right|correct|how|the|it)|wrong|incorrect)\b",
    r"^(?:\w+ ){1,5}(?:is|are|was) (?:not (?:correct|right|true|there)|incorrect|wrong|broken)\b",
    r"\bi meant\b|\bhow (?:come|can (?:we|you|it|this) be)\b|^not (?:there|quite|really|yet)\b",
    r"\bnot what i (?:asked|meant|want(?:ed)?|said|need(?:ed)?)\b",
    r"\bi (?:didn'?t|did not|never) (?:ask|say|want|tell|mean)\b|\bi (?:already )?(?:told|asked) you\b",
    r"\bwhy (?:did|do|are|would|have) you\b",
    r"\byou (?:forgot|missed|broke|removed|deleted|ignored|misunderstood)\b",
    r"\byou (?:didn'?t|did not|haven'?t|have not|shouldn'?t have|should have|were supposed)\b",
    r"\b(?:undo|revert) (?:that|this|it|the|your|all|those|these)\b|\bput (?:it|that) back\b",
    # Still broken.
    r"\bstill (?:not|doesn'?t|don'?t|isn'?t|fails?|failing|broken|wrong|the same)\b",
    r"\bstill (?:getting|seeing|shows?|happen\w*|have)\b",
    r"\b(?:it|that|this) (?:didn'?t|doesn'?t|did not|does not|isn'?t) (?:work\w*|help|fix\w*|compile|build|change)\b",
    r"\bsame (?:error|issue|problem|result|thing)\b|\bnot (?:working|fixed)\b|\bdoesn'?t work\b",
    r"^nothing\b|\bnothing (?:is )?(?:happen|chang|show|appear)",
    r"\bno (?:difference|change|effect)\b|\bit'?s (?:just )?the same\b",
    r"\b(?:they|it|it's|they're|you|you're|is|are|i|i'm) still\b(?! (?:need|want|have to|possible|ok|fine|good|think))",
    r"\b(?:don'?t|can'?t|cannot|couldn'?t|not) see (?:any|the|it|them|that|my|a)\b",
    r"\bcaus(?:es|ed|ing) (?:\w+ ){0,4}(?:errors?|problems?)\b",
    r"\b(?:not|n't|no longer|stopped) (?:show|display|appear|load|open|sav|respond|render|updat)(?:s|e|es|ed|ing)?\b",
    # The same in the other supported languages.
    r"\b(?:eso|esto|así) no (?:es|funciona|era)\b|\bsigue (?:sin|fallando|igual)\b",
    r"\bno (?:funciona|es lo que|era eso)\b|\bte (?:dije|pedí)\b",
    r"\bce n'est pas (?:ça|ce que|correct|bon)\b|\bc'est faux\b|\bne (?:marche|fonctionne) (?:toujours )?pas\b",
    r"\bje t'ai (?:dit|demandé)\b|\btoujours (?:pas|vide|le même|la même|une? erreur)\b|\bn'arrive (?:pas|plus)\b",
    r"\b(?:n'affiche|ne s'affiche|ne s'ouvre|n'apparaî?t|ne change|ne fait) (?:pas|plus|rien)\b",
    r"\bno (?:me deja|se ve|aparece|hace|sale|carga|guarda|muestra|ha |has )",
    r"\bdas (?:ist|war) (?:falsch|nicht)\b|\b(?:geht|funktioniert|klappt) (?:immer noch |noch )?nicht\b",
    r"\bimmer noch\b|\bhabe? (?:ich )?(?:doch )?gesagt\b|\bdu hast \w+ (?:vergessen|gelöscht)\b",
    r"\bisso não (?:é|funciona)\b|\bnão (?:funciona|funcionou|era isso|é isso)\b",
    r"\bcontinua (?:com|sem|dando|igual)\b|\beu (?:pedi|disse)\b",
    r"\bnon (?:funziona|è (?:quello|giusto|corretto))\b|\bè sbagliato\b|\bti ho (?:detto|chiesto)\b",
    r"\bdat (?:is|klopt) (?:niet|fout)\b|\bwerkt (?:nog steeds )?niet\b|\bnog steeds\b|\bik (?:zei|vroeg)\b",
    r"\bне (?:работает|то|так|правильно)\b|\bвс[её] ещ[её]\b|\bопять\b|\bя же (?:сказал|просил|говорил)\b",
    r"\b(?:nadal|wciąż|dalej) nie\b|\bnie działa\b|\bto nie tak\b",
    r"まだ(?:動|直|でき|同じ|エラー)|動きません|動かない|直っていません|直ってない|言ったのに|そうじゃな|違います",
    r"还是(?:不行|报错|一样|没有|有问题)|没有(?:生效|效果|解决)|不工作|我说过|我不是让你|你(?:忘|漏|删)",
)
"""Forms in the supported languages; a first prompt of a chat is never examined."""

_CORRECTION = lazy_regex("|".join(f"(?:{form})" for form in _FORMS), re.IGNORECASE)


def is_correction(message: str) -> bool:
    """Whether the user's own words at the beginning of a message correct what the agent did before."""
    opening = " ".join(own_words(message).split())[:MAX_OPENING].replace("’", "'")
    return _CORRECTION.search(opening) is not None


MIN_TERMS, SAME_MESSAGE = 3, 0.8
"""A message repeats an earlier one if both share this part of all their terms; shorter messages are follow-ups."""


def terms_of(message: str) -> frozenset[str]:
    """Return the terms of the user's own words in a message."""
    return frozenset(query_terms(own_words(message)))


def is_repetition(terms: frozenset[str], earlier: Iterable[frozenset[str]]) -> bool:
    """Whether a message has nearly the terms of an earlier one."""
    if len(terms) < MIN_TERMS:
        return False
    return any(len(terms & other) >= SAME_MESSAGE * len(terms | other) for other in earlier)
