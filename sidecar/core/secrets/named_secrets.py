"""What secrets are called, and where in a text such a name stands with a value after it. Pure."""

import re
from collections.abc import Iterator

from sidecar.core.lazy_regex import regex
from sidecar.core.secrets.randomness import (
    PHRASES,
    is_drawn,
    is_placeholder,
    is_prose,
    is_random,
    is_said_of_passwords,
    names_itself,
)
from sidecar.core.secrets.token_formats import MASK

SHORT = r"(?-i:(?<![A-Za-z])pass|(?<![A-Z])Pass|(?<![A-Za-z])PASS)"
"""`pass` as a word of a name: `db_pass`, `dbPass`, but not `bypass`."""

_KEY_KINDS = (
    "api", "access", "private", "account", "secret", "signing", "encryption", "auth", "service", "client", "master",
    "database", "db", "webhook", "license", "licence",
)  # fmt: skip
NAMES = rf"(?:{PHRASES}|{SHORT}|secret|token|credential|(?:{'|'.join(_KEY_KINDS)})[-_]?key|(?<![A-Za-z/.-])_?auth)"

_FOLLOWED = regex(r"[\w-]{0,40}(?:\[\d{0,4}\])?(?:\.assign)?(?:\\{0,3}[\"'])?\]?\s{0,20}(?:[:=!>]|\(\\{0,3}[\"'])")
_FOLLOWED_BY_PASSWORD = regex(r"[\w-]{0,40}(?:\[\d{0,4}\])?(?:\\{0,3}[\"'])?\]?\s{0,20}[:=!>(\"'.]")
_FOLLOWED_BY_LONG = regex(
    r"[\w-]{0,40}(?:\\{0,3}[\"'])?\]?\s{0,20}[:=]{1,2}\s{0,20}\\{0,3}[\"'`]?(?=[\w+/=-]{0,20}[0-9])[\w+/=-]{20}"
)
"""What must follow where `key` is any key: a map's, a cache's and a sort's are words."""

_GIVEN = regex(r"[\"'] {0,4}[!=]==? {0,4}[\w.]*$|(?<![\w-])--?[a-z-]*$")
_GIVEN_CHARACTERS = 40
"""A value may also stand before: `"…" == password`; and behind a command line's option stands none of the signs."""

_NAMED_KEYS = tuple(word + mark for word in _KEY_KINDS for mark in ("", "-", "_"))
_LONGEST_KIND = max(map(len, _NAMED_KEYS))
_WORDS = (
    *((word, _FOLLOWED_BY_PASSWORD) for word in ("pass", "pwd", "contrase")),
    *((word, _FOLLOWED) for word in ("secret", "token", "credential", "key", "auth")),
)


def by_names(text: str) -> list[tuple[bool, str]]:
    """Cuts a text at line ends into parts that hold a secret's name, each with its next line, and the others.

    Finding the names first, and whether a value can follow, is ten times faster than to look for values everywhere.
    """
    parts: list[tuple[bool, str]] = []
    done = 0
    for position in sorted(_positions(text)):
        if position < done:
            continue
        start = max(done, text.rfind("\n", 0, position) + 1)
        end = _line_end(text, _line_end(text, position))
        parts += [(False, text[done:start]), (True, text[start:end])]
        done = end
    return [*parts, (False, text[done:])]


def folded(text: str) -> str:
    """Gives a text in small letters, each character where it was; one capital's small letter takes two."""
    return text.replace("İ", "I").lower()


def _positions(text: str) -> Iterator[int]:
    small = folded(text)
    for word, usually in _WORDS:
        at = small.find(word)
        while at >= 0:
            end = at + len(word)
            is_any_key = word == "key" and not small.endswith(_NAMED_KEYS, max(0, at - _LONGEST_KIND), at)
            followed = _FOLLOWED_BY_LONG if is_any_key else usually
            if followed.match(small, end) or _is_given(small, at):
                yield at
            at = small.find(word, end)


def _is_given(small: str, at: int) -> bool:
    """Says whether a value, or an option's hyphens, stand before; the pattern runs where a sign of either does."""
    start = max(0, at - _GIVEN_CHARACTERS)
    before = small[start:at]
    if "-" not in before and '"' not in before and "'" not in before:
        return False
    return _GIVEN.search(small, start, at) is not None


def _line_end(text: str, position: int) -> int:
    """Gives the place behind the line end at or after a position; the text's end without one."""
    found = text.find("\n", position)
    return found + 1 if found >= 0 else len(text)


# Secrets that are known by what they are called: `password: …`, `API_KEY=…`, `--token …`, `<password>…`. Pure.
#
# A value is masked when it looks random; one that is called a password also when it is only letters, where it can be
# nothing but a value.


_END = r"(?:[-_]?(?:s|value|hash|base64|base|\d{1,3}|prod|production|dev|test|staging)){0,2}"
_ASSIGNS = r"(?:\\{0,3}[\"'])?\]?\s{0,20}(?::=|={1,3}>|[!=]==?|[:=])\s{0,20}"
_SECRET = rf"(?:{PHRASES}|{SHORT})"
_QUOTE = r"""\\{0,3}["'`]"""

_QUOTED = regex(rf"""(?ix) ( {NAMES} {_END} {_ASSIGNS} @?({_QUOTE}) ) ([^"'`\n\s\\]{{6,8000}}) \2 """)
_WORDS_VALUES = regex(
    rf"""(?ix) ( {_SECRET} {_END} {_ASSIGNS} ["'`] ) ([a-z]{{3,12}}(?:\ [a-z]{{3,12}}){{3,7}}) (?=["'`]) """
)
_UNQUOTED = regex(
    rf"""(?ix) ( {NAMES} {_END} (?:[ ]{{0,4}}=[ ]{{0,4}}|:[ ]{{1,4}}) )
    ([^\s"'`(){{}}\[\]<>$,;&=]{{8,500}}+={{0,2}}) (?=[\s,;&"'`]|\Z) """
)
_DRAWN = regex(
    rf"""(?ix) ( (?:{NAMES} | (?<!public)(?<!public[-_])key) [\w-]{{0,24}} (?:\[\d{{0,4}}\])? (?:\.assign)?
    (?:{_ASSIGNS} | [ ]{{0,4}}[( ][ ]{{0,4}}) @? ({_QUOTE})? )
    ( (?(2) [^\s"'`\\]{{16,2000}}+ | [\w+/=-]{{20,2000}}+) ) (?= {_QUOTE} | [\s,;)}}\]] | \Z) """
)
_CALLED = regex(rf"""(?ix) ( {PHRASES} [ ]{{0,4}} [( ] [ ]{{0,4}} ["'] ) ([^"'`\n\s]{{6,200}}) (?=["']) """)
_COMPARED = regex(
    rf"""(?ix) (["']) ([^"'`\n\s]{{6,200}}) \1 (?=[ ]{{0,4}} [!=]==? [ ]{{0,4}} ([\w.]{{0,60}}? {NAMES})) """
)
_LINE = regex(
    rf"""(?imx) ^ ( [ \t>+*-]{{0,40}} ["']? [\w.-]{{0,60}}? {_SECRET} ["']? (?::[ \t]{{1,4}}|=) )
    ((?-i:[a-z]{{10,40}}|[a-z]{{2,12}}(?:-[a-z]{{2,12}}){{3,7}})) [ \t]* $ """
)
_ENVIRONMENT = regex(
    r"""(?mx) ^ ( [ \t>+*-]{0,40} (?:(?:export|set|ENV|ARG)[ ])?
    [A-Z0-9_]{0,60}? (?:PASSWORD|PASSWD|PASSPHRASE|_PASS|_PWD) = ) ([^\s"'`]{6,200}) [ \t]* $ """
)
_CONNECTION = regex(r"""(?ix) ( ; \s? (?:password|pwd) \s? = \s? ) ([^;"'\s]{3,200}) """)
_ARGUMENT = regex(
    rf"""(?ix) ( (?<![\w-]) --? [a-z-]{{0,30}}? (?:{PHRASES}|pass|token|secret|api-key) [ ]{{1,4}} ["']? )
    ([^\s"'`-][^\s"'`]{{7,200}}) """
)
_ELEMENT = regex(
    rf"""(?ix) ( < [\w.:-]{{0,40}}? (?:{PHRASES}|secret|token|api[-_]?key) (?:\s[^<>\n]{{0,100}})? > )
    ([^<>\s]{{6,400}}) (?=</) """
)
_ATTRIBUTE = regex(
    rf"""(?ix) ( (?:key|name) = ["'] [^"'\n]{{0,60}}? {PHRASES} ["'] \s{{1,8}} value = ["'] ) ([^"'\n]{{6,200}}) """
)
_IDENTIFIED = regex(
    r"""(?ix) ( \b (?:identified \s by | (?:with|user|role|login) \s [^;\n']{0,80}? password) \s ')
    ([^'\n]{4,200}) (?=') """
)
_KUBERNETES = regex(
    r"""(?mx) ^ ( [ ]{1,8} [\w.-]{1,100} : [ ]{1,4} ["']? ) ([A-Za-z0-9+/]{8,4000}={0,2}) (?=["']?[ \t]*$) """
)
_NETRC = regex(r"""(?x) ( \b login \s{1,4} \S{1,100} \s{1,4} password \s{1,4} ) (\S{4,200}) """)
_HOLDER = regex(r"(?i)(?:db|database|sql|smtp|mail|user|root|admin|ftp|redis|postgres|pg|ssh|login|auth)[-_]?$")
_HOLDER_CHARACTERS = 12
_LEAST_PASS = 10
"""A pass of nobody's is a compiler's or a renderer's, and its name short."""


def without_values(text: str) -> str:
    """Masks what is called a secret, and looks only where a word for one stands."""
    if "kind: Secret" in text:
        text = _KUBERNETES.sub(_masked_random, text)
    if "login " in text:
        text = _NETRC.sub(_masked, text)
    if "IDENTIFIED BY" in text or "identified by" in text:
        text = _IDENTIFIED.sub(_masked, text)
    return "".join(_without_given(_without_assigned(part)) if is_named else part for is_named, part in by_names(text))


def _without_assigned(text: str) -> str:
    """Masks what is assigned to a secret's name or compared with it."""
    if "=" not in text and ":" not in text:
        return text
    text = _QUOTED.sub(_masked_quoted, text)
    text = _UNQUOTED.sub(_masked_unquoted, text)
    text = _ENVIRONMENT.sub(_masked_name, text)
    text = _LINE.sub(_masked_word, text)
    text = _WORDS_VALUES.sub(_masked_words, text)
    if "==" in text or "!=" in text:
        text = _COMPARED.sub(_masked_compared, text)
    return _CONNECTION.sub(_masked, text) if ";" in text else text


def _without_given(text: str) -> str:
    """Masks what a secret's name is given otherwise: `setPassword("…")`, `--token …`, `<password>…</password>`."""
    text = _DRAWN.sub(_masked_drawn, text)
    if " -" in text or text.startswith("-"):
        text = _ARGUMENT.sub(_masked_random, text)
    if "</" in text:
        text = _ELEMENT.sub(_masked_name, text)
    if '"' not in text and "'" not in text:
        return text
    text = _CALLED.sub(_masked_random, text)
    return _IDENTIFIED.sub(_masked, _ATTRIBUTE.sub(_masked_name, text) if "value" in text else text)


def _masked(found: re.Match[str]) -> str:
    """Masks a value that can be nothing else; the group before it stays."""
    return found[0] if is_placeholder(found[2]) or found[2] == MASK else found[1] + MASK


def _masked_random(found: re.Match[str]) -> str:
    return _masked(found) if is_random(found[2]) else found[0]


def _masked_name(found: re.Match[str]) -> str:
    """Masks what a setting called a password is set to."""
    return found[0] if names_itself(found[2]) else _masked(found)


def _masked_word(found: re.Match[str]) -> str:
    """Masks a word of letters, unless it says something of the password in place of being one."""
    return found[0] if is_said_of_passwords(found[2]) else _masked_name(found)


def _masked_words(found: re.Match[str]) -> str:
    """Masks words in a row, unless they are a sentence."""
    return found[0] if is_prose(found[2]) else _masked_name(found)


def _masked_quoted(found: re.Match[str]) -> str:
    """Masks what looks random, and whatever is called a password."""
    if _is_password(found):
        secret = is_random(found[3]) or not names_itself(found[3])
    else:
        secret = is_random(found[3]) and (len(found[3]) >= _LEAST_PASS or found[1][:4].lower() != "pass")
    return f"{found[1]}{MASK}{found[2]}" if secret and not is_placeholder(found[3]) else found[0]


def _masked_unquoted(found: re.Match[str]) -> str:
    """Without quotes a value may as well be a name from code, so it must look random, and not like a call or member."""
    return found[0] if "." in found[2] else _masked_random(found)


def _masked_drawn(found: re.Match[str]) -> str:
    """Masks under any name with a word for a secret, or just `key`, what no one would type."""
    return found[1] + MASK if is_drawn(found[3]) and MASK not in found[3] else found[0]


def _masked_compared(found: re.Match[str]) -> str:
    """Masks what a password is compared with; what another name is, only if no one would type it."""
    quote, value, name = found.groups()
    secret = is_random(value) if re.search(PHRASES, name, re.IGNORECASE) else is_drawn(value)
    return f"{quote}{MASK}{quote}" if secret and not is_placeholder(value) else found[0]


def _is_password(found: re.Match[str]) -> bool:
    """Says whether a value is called a password, or somebody's `pass`; alone that is mostly a compiler's."""
    if re.search(PHRASES, found[1], re.IGNORECASE):
        return True
    is_pass = found[1][:4].lower() == "pass"
    return is_pass and bool(_HOLDER.search(found.string, max(0, found.start() - _HOLDER_CHARACTERS), found.start()))
