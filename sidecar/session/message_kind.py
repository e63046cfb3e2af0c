"""Classify a message: exit, a command, or work for the agent; by phrases in four languages. Pure.

An exit is the whole message: one of the commands or phrases, ignoring case, spaces, accents and courtesies. A question,
a negation, quoted text, code, or one more word makes it work, and so do "stop", "wait", "go back" and "cancel" alone:
they have a meaning inside the system. A message is on-topic unless a named rule matches, and no rule applies beside
words of software development, code or a path. The phrases are in folded form (lower case, no accents).
"""

import re
import unicodedata
from typing import NamedTuple

from sidecar.core.lazy_regex import lazy_regex
from sidecar.session.model import Command, Intent

EXIT_WORDS = ("exit", "stop", "quit")
EXIT_PHRASES = ("exit chati", "sair do chati", "salir de chati", "quitter chati")
"""One phrase per language: English, Portuguese, Spanish, French."""

COURTESIES = (
    "please", "now", "thanks", "thank you", "ok", "okay", "alright",
    "por favor", "agora", "obrigado", "obrigada", "certo",
    "ahora", "gracias", "vale", "bueno",
    "s'il te plait", "s'il vous plait", "maintenant", "merci", "d'accord",
)  # fmt: skip
"""Words that may surround an exit phrase without changing its meaning."""

EXIT_VERBS = lazy_regex(
    r"\b(?:exit|quit|leave|stop|close|end|sair|saia|sai|encerrar|fechar|parar|salir|sal|salgo|cerrar|terminar|quitter|"
    r"quitte|sortir|arreter|fermer)\b"
)
"""Together with the system's name, these mean that a message mentions leaving."""

WORK_WORDS = lazy_regex(
    r"\b(?:add|build|bug|change|commit|component|create|debug|deploy|design|document|endpoint|error|feature|file|fix|"
    r"function|implement|issue|library|migrate|module|page|pipeline|project|refactor|release|remove|rename|repo|"
    r"repository|requirement|requirements|review|route|schema|screen|server|spec|story|task|tasks|test|tests|ui|"
    r"update|user|users|widget|api|app|backend|frontend|brief|agent|architect|class|code|database|button|form|"
    r"integration|json|sql|css|html|sprint|branch|merge|query|table|field|script|package|service|model|data|"
    r"adicionar|adicione|arquivo|atualizar|banco|botao|campo|codigo|componente|consertar|corrigir|corrija|criar|crie|"
    r"dados|desenvolver|erro|funcao|funcionalidade|implementar|implemente|modulo|pagina|projeto|requisito|"
    r"requisitos|tarefa|tarefas|tela|teste|testes|usuario|usuarios|aplicacao|aplicativo|"
    r"agregar|agrega|anadir|anade|archivo|actualizar|arreglar|arregla|boton|corregir|corrige|crear|crea|datos|"
    r"desarrollar|funcion|funcionalidad|implementa|pantalla|proyecto|prueba|pruebas|tarea|tareas|usuario|"
    r"aplicacion|"
    r"ajouter|ajoute|base|bouton|champ|corriger|corrige|creer|cree|donnees|ecran|erreur|exigence|exigences|"
    r"fichier|fonction|fonctionnalite|implementer|implemente|mettre|projet|tache|taches|tester|utilisateur|"
    r"utilisateurs|appli|application)\b"
)
"""Words of software development: a message with any of them is on-topic, whatever else it mentions."""


class OffTopicRule(NamedTuple):
    """An off-topic rule and its pattern."""

    name: str
    pattern: re.Pattern[str]


def _rule(name: str, *alternatives: str) -> OffTopicRule:
    return OffTopicRule(name, lazy_regex("|".join(rf"(?:{pattern})" for pattern in alternatives)))


OFF_TOPIC: tuple[OffTopicRule, ...] = (
    _rule(
        "genericAssistant",
        r"\b(?:forget|ignore|drop|leave) (?:about )?(?:the )?chati(?:\.dev)?\b.{0,60}\b(?:answer|respond|act|talk)\b",
        r"\b(?:act|answer|respond|behave|talk) (?:as|like) (?:a )?(?:generic|normal|regular|plain|chatgpt|gpt)\b",
        r"\b(?:esqueca|ignore) o chati\b.{0,60}\b(?:responda|aja|fale)\b",
        r"\b(?:aja|responda) como (?:um assistente|o chatgpt|uma ia) ?(?:generic[oa]|normal|comum)?",
        r"\b(?:olvida|ignora) chati\b.{0,60}\b(?:responde|actua|habla)\b",
        r"\b(?:actua|responde) como (?:un asistente|chatgpt|una ia) ?(?:generic[oa]|normal)?",
        r"\b(?:oublie|ignore) chati\b.{0,60}\b(?:reponds|agis|parle)\b",
        r"\b(?:agis|reponds) comme (?:un assistant|chatgpt|une ia) ?(?:generique|normale?)?",
    ),
    _rule(
        "weather",
        r"\b(?:what(?:'s| is|s)|how(?:'s| is)) the weather\b",
        r"\bwill it (?:rain|snow)\b",
        r"\bis it (?:raining|snowing|cold outside|hot outside)\b",
        r"\bweather (?:today|tomorrow|like)\b",
        r"\b(?:como esta|qual e|qual) (?:o )?(?:tempo|clima)\b",
        r"\b(?:vai|esta) (?:chover|chovendo|nevar)\b",
        r"\bprevisao do tempo\b",
        r"\b(?:que|como esta el) (?:tiempo|clima) (?:hace|hara|hoy|manana)?\b",
        r"\bva a (?:llover|nevar)\b",
        r"\bquel temps (?:fait|fera)",
        r"\b(?:est-ce qu'il va|va-t-il|il va) (?:pleuvoir|neiger)\b",
        r"\bla meteo\b",
    ),
    _rule(
        "joke",
        r"\b(?:tell|know|give) (?:me )?(?:a|an|another|any)?(?: \w+)? ?(?:joke|jokes|riddle)\b",
        r"\bmake me laugh\b",
        r"\b(?:conta|conte|contar)(?:-me)?(?: me)? (?:uma|outra)? ?(?:piada|charada)\b",
        r"\b(?:cuentame|cuenta|dime) (?:un|otro) (?:chiste|acertijo)\b",
        r"\braconte(?:-moi)? (?:moi )?une? (?:autre )?(?:blague|devinette)\b",
    ),
    _rule(
        "poemOrSong",
        r"\b(?:write|sing|compose|recite|make)(?: me| us)? (?:a|an|another)(?: \w+)? ?(?:poem|song|haiku|limerick)\b",
        r"\b(?:escreva|escreve|componha|cante|canta)(?:-me)?(?: me)? (?:um|uma)(?: \w+)? ?(?:poema|cancao|musica)\b",
        r"\b(?:escribe|escribeme|compon|canta|cantame) (?:un|una)(?: \w+)? ?(?:poema|cancion)\b",
        r"\b(?:ecris|compose|chante|recite)(?:-moi)?(?: moi)? (?:un|une)(?: \w+)? ?(?:poeme|chanson)\b",
    ),
    _rule(
        "recipe",
        r"\brecipe for\b",
        r"\bhow (?:do|can|should) i (?:cook|bake)\b",
        r"\bwhat (?:should|can) i (?:cook|eat|have) (?:for|tonight)\b",
        r"\breceita de\b",
        r"\bcomo (?:faco|fazer|cozinho|cozinhar) (?:um |uma |o |a )?(?:bolo|pao|feijoada|arroz|lasanha)\b",
        r"\breceta de\b",
        r"\bcomo (?:hago|se hace|cocino) (?:una |un |la |el )?(?:paella|tortilla|pastel|pan)\b",
        r"\brecette d[eu']",
    ),
    _rule(
        "sports",
        r"\bwho (?:won|will win|is winning) (?:the )?(?:\w+ )?(?:game|match|world cup|super bowl|league)\b",
        r"\bquem (?:ganhou|vai ganhar|venceu) (?:o|a) (?:jogo|copa|campeonato|brasileirao)\b",
        r"\bquien (?:gano|va a ganar) (?:el|la) (?:partido|mundial|copa|liga|champions)\b",
        r"\bqui (?:a gagne|va gagner) (?:le|la) (?:match|coupe|championnat)\b",
    ),
    _rule(
        "generalKnowledge",
        r"\b(?:what|which|qual|cual|quelle)(?:'s| is| e| es| est)? (?:a |la |the )?capitale? (?:of|do|da|de|del|du|d')",
        r"\bwho (?:is|was) the (?:president|king|queen|prime minister|pope)\b",
        r"\bquem (?:e|foi) o (?:presidente|rei|papa)\b",
        r"\bquien (?:es|fue) el (?:presidente|rey|papa)\b",
        r"\bqui (?:est|etait) le (?:president|roi|pape)\b",
        r"\bhow (?:tall|old|far|big) is (?:the (?:moon|sun|eiffel|earth)|mount|everest)\b",
        r"\bmeaning of life\b",
        r"\bsentido (?:da vida|de la vida)\b",
        r"\bsens de la vie\b",
    ),
    _rule(
        "horoscope",
        r"\b(?:horoscope|horoscopo)\b",
        r"\b(?:my|meu|mi|mon) (?:zodiac|signo|signe)\b",
    ),
    _rule(
        "leisure",
        r"\b(?:recommend|suggest) (?:me )?(?:a|an|some|any)(?: \w+)? ?(?:movie|film|series|song|restaurant|novel)s?\b",
        r"\b(?:recomende|recomenda|indique|indica)(?:-me)?(?: me)? (?:um|uma) (?:\w+ )?(?:filme|serie|restaurante)\b",
        r"\b(?:recomiendame|recomienda|sugiere) (?:una|un) (?:\w+ )?(?:pelicula|serie|restaurante|libro|novela)\b",
        r"\b(?:recommande|conseille|suggere)(?:-moi)? (?:un|une) (?:\w+ )?(?:film|serie|restaurant|roman)\b",
    ),
    _rule(
        "personal",
        r"\bdo you (?:like|love|hate|enjoy|dream|sleep|eat)\b",
        r"\bwhat(?:'s| is) your fav(?:ou?rite)\b",
        r"\b(?:how old are you|are you (?:human|sentient|in love|happy|sad))\b",
        r"\b(?:voce gosta de|qual (?:e )?(?:o seu|a sua|seu|sua) \w+ (?:favorit|preferid)[oa]|quantos anos voce tem)\b",
        r"\b(?:te gusta (?:el|la|los|las)|cual es tu \w+ (?:favorit|preferid)[oa]|cuantos anos tienes)\b",
        r"\b(?:tu aimes (?:le|la|les)|quel(?:le)? est ton \w+ preferee?|quel age as-tu)\b",
    ),
    _rule(
        "travel",
        r"\bplan (?:me )?(?:a|my|our) (?:\w+ )?(?:trip|vacation|holiday|holidays|honeymoon)\b",
        r"\b(?:cheap )?(?:flights?|hotels?) (?:to|in) \w+",
        r"\b(?:planeje|planejar) (?:minha|minhas|uma) (?:viagem|ferias)\b",
        r"\b(?:planea|planear|organiza) (?:mi|mis|un) (?:viaje|vacaciones)\b",
        r"\b(?:planifie|organise) (?:mon|mes|un) (?:voyage|vacances)\b",
    ),
    _rule(
        "markets",
        r"\b(?:bitcoin|ethereum|dogecoin)\b",
        r"\b(?:stock|share) price of\b",
        r"\b(?:cotacao|cotizacion) (?:do|del) (?:dolar|euro)\b",
        r"\bcours de la bourse\b",
    ),
)


MAX_MESSAGE_CHARACTERS = 4_000
"""Maximum characters as sent, including spaces."""
MAX_CHARACTERS = 300
"""Maximum characters with spaces collapsed. A longer message is neither a command nor small talk."""

_COMMAND = lazy_regex(r"/ ?chati(?: (.*))?")
_COMMANDS: dict[str, Command] = {"": "activate", "status": "status", "help": "help", "resume": "resume"}
_COURTESY = "|".join(re.escape(courtesy) for courtesy in sorted(COURTESIES, key=len, reverse=True))
_BEFORE = lazy_regex(rf"(?:(?:{_COURTESY})[ ,.!]+)+")
_AFTER = lazy_regex(rf"(?<![ ,.!])(?:[ ,.!]++(?:{_COURTESY}))+[ .!]*")
_ENDS = " .!\u00a1\u2026"
_CODE = lazy_regex(r"`|\w_\w|[{};=<>]|\w/\w|\w\(|\w\.(?:py|ts|tsx|js|jsx|go|rs|md|json|ya?ml|java|rb|css)\b")
_INVISIBLE = frozenset({"Cf", "Cc"})


class Route(NamedTuple):
    """The intent of a message, and the rule that decided."""

    intent: Intent
    rule: str
    command: Command | None = None
    mentions_exit: bool = False


def route(message: str) -> Route:
    """Classify a message of the user."""
    text = fold_text(message) if len(message) <= MAX_MESSAGE_CHARACTERS else ""
    if not 0 < len(text) <= MAX_CHARACTERS:
        return Route("onTopic", "long" if message.strip() else "empty")
    request = _without_courtesies(text)
    if request in EXIT_PHRASES:
        return Route("exit", "exitPhrase")
    command = _COMMAND.fullmatch(request)
    if command is not None:
        return _command_route((command[1] or "").strip())
    mentions_exit = "chati" in text and EXIT_VERBS.search(text) is not None
    rule = _off_topic(text)
    if rule is not None:
        return Route("offTopic", rule, mentions_exit=mentions_exit)
    return Route("onTopic", "mentionsExit" if mentions_exit else "default", mentions_exit=mentions_exit)


def fold_text(message: str) -> str:
    """Return text in lower case, without accents and invisible characters, with single spaces."""
    plain = unicodedata.normalize("NFKD", message).casefold()
    unaccented = (char for char in unicodedata.normalize("NFKD", plain) if not unicodedata.combining(char))
    spaced = "".join(
        " " if char.isspace() else char
        for char in unaccented
        if char.isspace() or unicodedata.category(char) not in _INVISIBLE
    )
    return " ".join(spaced.split()).replace("\u2019", "'")


def _without_courtesies(text: str) -> str:
    """Remove what does not change a request: punctuation at the ends and courtesies, but never a question mark."""
    text = text.strip(_ENDS)
    before = _BEFORE.match(text)
    text = text[before.end() :] if before else text
    after = next((match for match in _AFTER.finditer(text) if match.end() == len(text)), None)
    return (text[: after.start()] if after else text).strip(_ENDS + ",")


def _command_route(rest: str) -> Route:
    if rest in EXIT_WORDS:
        return Route("exit", "exitCommand")
    if rest in _COMMANDS:
        return Route("command", "chatiCommand", _COMMANDS[rest])
    return Route("onTopic", "chatiMessage", mentions_exit=EXIT_VERBS.search(rest) is not None)


def _off_topic(text: str) -> str | None:
    if WORK_WORDS.search(text) or _CODE.search(text):
        return None
    return next((rule.name for rule in OFF_TOPIC if rule.pattern.search(text)), None)
