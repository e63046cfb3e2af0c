"""Mask secrets anywhere in a text: values shaped like secrets, and values under a secret's name. Pure.

Texts come from anyone, so the time of every pattern grows linearly with the text: a repetition is bounded, is
possessive, or begins where no earlier match could have continued.
"""

import re
from collections.abc import Iterator

from sidecar.core.lazy_regex import lazy_regex
from sidecar.core.secret_formats import (
    MASK,
    OTHER_PHRASES,
    PHRASES,
    describes_password,
    is_machine_generated,
    is_name_in_code,
    is_placeholder,
    is_prose,
    is_random,
    is_stated_password,
    mask_known_tokens,
    mask_private_keys,
    repeats_its_name,
)

_ACROSS_LINES = ("-----BEGIN", "Private-Lines: ", "kind: Secret")

_URL_PASSWORD = lazy_regex(r"(://[^\s/:@]{0,100}:)([^\s/@]{3,200})(@)")
_URL_TOKEN = lazy_regex(r"(://)([A-Za-z0-9_-]{20,200})(@)")
_SCHEMES = ("bearer ", "basic ", "digest ", "authorization")
_BEARER = lazy_regex(
    r"(?i)((?:(?:bearer|basic|digest)\s{1,8}|authorization[\"']?\s?[:=]\s{0,4}[\"']?(?:[a-z-]{2,12}\s{1,8})?))"
    r"([a-z0-9+/._~=-]{16,4000})"
)
_ASSIGNED_HEADER = lazy_regex(r"(?i)authorization\s?=\s{0,4}(?:(?:await|new)\s{1,8})?")
_HEADER_PARAMETER = lazy_regex(r"[a-z_]{1,60}=")
_CURL = lazy_regex(
    r"(\bcurl(?:\s(?:[^\n]|\\\n){0,300}?)?\s(?:-u|--user)[ =]?[\"']?[^\s:\"'$]{1,100}:)([^\s\"'$]{3,200})"
)


def redact(text: str) -> str:
    """Replace secret-shaped values by a mask and leave the rest unchanged."""
    text = mask_known_tokens(text)
    if "://" in text:
        text = _URL_PASSWORD.sub(rf"\1{MASK}\3", text)
        text = _URL_TOKEN.sub(lambda match: f"{match[1]}{MASK}{match[3]}" if is_random(match[2]) else match[0], text)
    small = lowercase_in_place(text)
    masked = _mask_auth_headers(text, small)
    if "curl" in masked:
        masked = _CURL.sub(rf"\1{MASK}", masked)
    masked = _mask_named_secrets(masked, small if masked == text else lowercase_in_place(masked))
    positions = _stated_positions(small if masked == text else lowercase_in_place(masked))
    return _mask_spans(masked, [span for at in positions if (span := _stated_password(masked, at))])


def redact_lines(text: str) -> str:
    """Like `redact`, but every line stays in place, also the lines of a multi-line key."""
    return redact(mask_private_keys(text))


def may_span_lines(text: str) -> bool:
    """Whether a text may contain a secret that no single line shows; mask it before selecting lines."""
    return any(mark in text for mark in _ACROSS_LINES)


def _mask_auth_headers(text: str, small: str) -> str:
    """Mask HTTP authorization headers in a text with this lowercase. Searches only where a scheme's name appears."""
    matches = (_BEARER.match(text, at) for at in _scheme_positions(small))
    return _mask_spans(
        text, [match.span(2) for match in matches if match and is_random(match[2]) and not _is_code_of_header(match)]
    )


def _is_code_of_header(match: re.Match[str]) -> bool:
    """Whether a header's value is a name or member in code (`authorization = Header2.of(request)`), or a parameter."""
    if _HEADER_PARAMETER.fullmatch(match[2]):
        return True
    names = match[2].split(".")
    if not all(map(is_name_in_code, names)):
        return False
    if _ASSIGNED_HEADER.fullmatch(match[1]):
        return True
    is_bare = match[1].rstrip().endswith(":")
    return is_bare and (len(names) > 1 or _is_code(match.string, match.start(), match.span(2)))


def _mask_spans(text: str, spans: list[tuple[int, int]]) -> str:
    """Mask parts of a text; of parts that overlap, only the first."""
    if not spans:
        return text
    position, parts = 0, []
    for start, end in sorted(spans):
        if start >= position:
            parts += [text[position:start], MASK]
            position = end
    return "".join([*parts, text[position:]])


def _scheme_positions(small: str) -> Iterator[int]:
    for scheme in _SCHEMES:
        at = small.find(scheme)
        while at >= 0:
            if not small[at - 1 : at].isalnum():
                yield at
            at = small.find(scheme, at + 1)


# Secrets recognized by their name: `password: …`, `API_KEY=…`, `--token …`, `<password>…`. A value is masked if it
# looks random; the value of a password also if it is only letters.

SHORT_NAME = r"(?-i:(?<![A-Za-z])pass|(?<![A-Z])Pass|(?<![A-Za-z])PASS)"
"""`pass` as a word of a name: `db_pass`, `dbPass`, but not `bypass`."""

_KEY_KINDS = (
    "api", "access", "private", "account", "secret", "signing", "encryption", "auth", "service", "client", "master",
    "database", "db", "webhook", "license", "licence",
)  # fmt: skip
_FIRST_LETTERS = "".join(sorted({"_", *"pcsta", *(kind[0] for kind in _KEY_KINDS)}))
NAMES = (
    rf"(?=[{_FIRST_LETTERS}])"
    rf"(?:{PHRASES}|{SHORT_NAME}|secret|(?<!publickey)token|credential|(?:{'|'.join(_KEY_KINDS)})[-_]?key|(?<![A-Za-z/.-])_?auth)"
)
"""Name of a secret. Trying each alternative takes long, so the first letter is looked at before."""

_FOLLOWED = lazy_regex(r"[\w-]{0,40}(?:\[\d{0,4}\])?(?:\.assign)?(?:\\{0,3}[\"'])?\]?\s{0,20}(?:[:=!>]|\(\\{0,3}[\"'])")
_FOLLOWED_BY_PASSWORD = lazy_regex(r"[\w-]{0,40}(?:\[\d{0,4}\])?(?:\\{0,3}[\"'])?\]?\s{0,20}[:=!>(\"'.]")
_FOLLOWED_BY_LONG = lazy_regex(
    r"[\w-]{0,40}(?:\\{0,3}[\"'])?\]?\s{0,20}[:=]{1,2}\s{0,20}\\{0,3}[\"'`]?(?=[\w+/=-]{0,20}[0-9])[\w+/=-]{20}"
)
"""Text that must follow `key` alone: most keys belong to maps, caches and sorts."""

_VALUE_BEFORE = lazy_regex(r"[\"'] {0,4}[!=]==? {0,4}[\w.]*$|(?<![\w-])--?[a-z-]*$")
_VALUE_BEFORE_CHARACTERS = 40
"""A value may also precede the name: `"…" == password`; after a command-line option there is no assignment sign."""

_NAMED_KEYS = tuple(word + mark for word in _KEY_KINDS for mark in ("", "-", "_"))
_LONGEST_KIND = max(map(len, _NAMED_KEYS))
_WORDS = (
    *((word, _FOLLOWED_BY_PASSWORD) for word in ("pass", "pwd", "contrase")),
    *((word, _FOLLOWED) for word in ("secret", "token", "credential", "key", "auth")),
)


def _split_at_names(text: str, small: str) -> list[tuple[bool, str]]:
    """Split a text at line ends into parts that contain a secret's name, each with its next line, and the others.

    Finding the names first, and whether a value can follow, is ten times faster than searching for values everywhere.
    """
    parts: list[tuple[bool, str]] = []
    consumed = 0
    for position in sorted(_positions(small)):
        if position < consumed:
            continue
        start = max(consumed, text.rfind("\n", 0, position) + 1)
        end = _line_end(text, _line_end(text, position))
        parts += [(False, text[consumed:start]), (True, text[start:end])]
        consumed = end
    return [*parts, (False, text[consumed:])]


def lowercase_in_place(text: str) -> str:
    """Lowercase a text without changing its length; the lowercase of `İ` has two characters."""
    return text.replace("İ", "I").lower()


def _positions(small: str) -> Iterator[int]:
    for word, usually in _WORDS:
        at = small.find(word)
        while at >= 0:
            end = at + len(word)
            is_any_key = word == "key" and not small.endswith(_NAMED_KEYS, max(0, at - _LONGEST_KIND), at)
            followed = _FOLLOWED_BY_LONG if is_any_key else usually
            if followed.match(small, end) or _follows_value(small, at):
                yield at
            at = small.find(word, end)


def _follows_value(small: str, at: int) -> bool:
    """Whether a value or an option's hyphens precede the name. The pattern runs only if a sign of either is there."""
    start = max(0, at - _VALUE_BEFORE_CHARACTERS)
    before = small[start:at]
    if "-" not in before and '"' not in before and "'" not in before:
        return False
    return _VALUE_BEFORE.search(small, start, at) is not None


def _line_end(text: str, position: int) -> int:
    """Return the position after the line end at or after a position, or the end of the text."""
    end = text.find("\n", position)
    return end + 1 if end >= 0 else len(text)


_END = r"(?:[-_]?(?:s|value|hash|base64|base|\d{1,3}|prod|production|dev|test|staging)){0,2}"
_ASSIGNS = r"(?:\\{0,3}[\"'])?\]?\s{0,20}(?::=|={1,3}>|[!=]==?|[:=])\s{0,20}"
_SECRET = rf"(?:{PHRASES}|{SHORT_NAME})"
_QUOTE = r"""\\{0,3}["'`]"""

_QUOTED = lazy_regex(rf"""(?ix) ( {NAMES} {_END} {_ASSIGNS} @?({_QUOTE}) ) ([^"'`\n\s\\]{{6,8000}}) \2 """)
_COMPARES = lazy_regex(r"(?<![=!])[!=]==?(?![=>])")
_PASSPHRASE = lazy_regex(
    rf"""(?ix) ( {_SECRET} {_END} {_ASSIGNS} ["'`] ) ([a-z]{{3,12}}(?:\ [a-z]{{3,12}}){{3,7}}) (?=["'`]) """
)
_UNQUOTED = lazy_regex(
    rf"""(?ix) ( {NAMES} {_END} (?:[ ]{{0,4}}=[ ]{{0,4}}|:[ ]{{1,4}}) )
    ([^\s"'`(){{}}\[\]<>$,;&=]{{8,500}}+={{0,2}}) (?=[\s,;&"'`]|\Z) """
)
_MACHINE_GENERATED = lazy_regex(
    rf"""(?ix) ( (?:{NAMES} | (?<!public)(?<!public[-_])key) [\w-]{{0,24}} (?:\[\d{{0,4}}\])? (?:\.assign)?
    (?:{_ASSIGNS} | [ ]{{0,4}}[( ][ ]{{0,4}}) @? ({_QUOTE})? )
    ( (?(2) [^\s"'`\\]{{16,2000}}+ | [\w+/=-]{{20,2000}}+) ) (?= {_QUOTE} | [\s,;)}}\]] | \Z) """
)
_ESCAPED = lazy_regex(r"\\u[0-9A-Fa-f]{4}")
"""A letter of a translated text in a properties file."""

_QUOTED_VALUE = lazy_regex(r"""["'`][^"'`\n\s\\]{6}""")
_UNQUOTED_VALUE = lazy_regex(r"""[=:][ ]{0,4}[^\s"'`(){}\[\]<>$,;&=]{8}""")
_PASSPHRASE_VALUE = lazy_regex(r"""(?i)["'`][a-z]{3,12}[ ][a-z]{3,12}[ ][a-z]{3,12}[ ][a-z]""")
_MACHINE_GENERATED_VALUE = lazy_regex(r"""["'`][^\s"'`\\]{16}|(?<![\w+/=-])[\w+/=-]{20}""")
"""Values of the four patterns above, which take ten times as long to search for: few texts have one."""

_CALL_ARGUMENT = lazy_regex(rf"""(?ix) ( {PHRASES} [ ]{{0,4}} [( ] [ ]{{0,4}} ["'] ) ([^"'`\n\s]{{6,200}}) (?=["']) """)
_COMPARED = lazy_regex(
    rf"""(?ix) (["']) ([^"'`\n\s]{{6,200}}) \1 (?=[ ]{{0,4}} [!=]==? [ ]{{0,4}} ([\w.]{{0,60}}? {NAMES})) """
)
_LINE = lazy_regex(
    rf"""(?imx) ^ ( [ \t>+*-]{{0,40}} ["']? [\w.-]{{0,60}}? {_SECRET} ["']? (?::[ \t]{{1,4}}|=) )
    ((?-i:[a-z]{{10,40}}|[a-z]{{2,12}}(?:-[a-z]{{2,12}}){{3,7}})) [ \t]* $ """
)
_ENVIRONMENT = lazy_regex(
    r"""(?mx) ^ ( [ \t>+*-]{0,40} (?:(?:export|set|ENV|ARG)[ ])?
    [A-Z0-9_]{0,60}? (?:PASSWORD|PASSWD|PASSPHRASE|_PASS|_PWD) = ) ([^\s"'`]{6,200}) [ \t]* $ """
)
_CONNECTION = lazy_regex(r"""(?ix) ( ; \s? (?:password|pwd) \s? = \s? ) ([^;"'\s]{3,200}) """)
_ARGUMENT = lazy_regex(
    rf"""(?ix) ( (?<![\w-]) --? [a-z-]{{0,30}}? (?:{PHRASES}|pass|token|secret|api-key) [ ]{{1,4}} ["']? )
    ([^\s"'`-][^\s"'`]{{7,200}}) """
)
_ELEMENT = lazy_regex(
    rf"""(?ix) ( < [\w.:-]{{0,40}}? (?:{PHRASES}|secret|token|api[-_]?key) (?:\s[^<>\n]{{0,100}})? > )
    ([^<>\s]{{6,400}}) (?=</) """
)
_ATTRIBUTE = lazy_regex(
    rf"""(?ix) ( (?:key|name) = ["'] [^"'\n]{{0,60}}? {PHRASES} ["'] \s{{1,8}} value = ["'] ) ([^"'\n]{{6,200}}) """
)
_IDENTIFIED_BY = lazy_regex(
    r"""(?ix) ( \b (?:identified \s by | (?:with|user|role|login) \s [^;\n']{0,80}? password) \s ')
    ([^'\n]{4,200}) (?=') """
)
_KUBERNETES = lazy_regex(
    r"""(?mx) ^ ( [ ]{1,8} [\w.-]{1,100} : [ ]{1,4} ["']? ) ([A-Za-z0-9+/]{8,4000}={0,2}) (?=["']?[ \t]*$) """
)
_NETRC = lazy_regex(r"""(?x) ( \b login \s{1,4} \S{1,100} \s{1,4} password \s{1,4} ) (\S{4,200}) """)
_BEGINS_STATEMENT = lazy_regex(
    r"[ \t]*(?:(?:export|internal|local|my|private|protected|pub|public|return)[ \t]+)*"
    r"((?:auto|char|const|final|let|mut|readonly|static|string|String|val|var)[ \t*&]+)*"
    r"((?:self|this|cls|exports)\.|@)?[\w$]*"
)
_STATEMENT_CHARACTERS = 200
_ENDS_STATEMENT = lazy_regex(r"(?m)[?!]?(?:[,;][ \t]{0,20}(?:(?://|/\*|#|--)[^\n]{0,200})?$|[ ](?:[=|{?]|&&|\?\?)[ ])")
_ENDS_ARGUMENT = lazy_regex(r"[?!]?(?:,\s|[ ]?[)}\]])")
_ACCOUNT_NAME = lazy_regex(
    r"(?i)(?:db|database|sql|smtp|mail|user|root|admin|ftp|redis|postgres|pg|ssh|login|auth)[-_]?$"
)
_ACCOUNT_NAME_CHARACTERS = 12
_MIN_PASS_CHARACTERS = 10
"""A shorter `pass` without an account name belongs to a compiler or renderer."""


def _mask_named_secrets(text: str, small: str) -> str:
    """Mask the values of named secrets in a text with this lowercase; searches only near a name."""
    masked = text
    if "kind: Secret" in text:
        masked = _KUBERNETES.sub(_mask_random, masked)
    if "login " in text:
        masked = _NETRC.sub(_mask, masked)
    if "identified by" in small:
        masked = _IDENTIFIED_BY.sub(_mask, masked)
    if masked != text:
        small = lowercase_in_place(masked)
    parts = _split_at_names(masked, small)
    if len(parts) == 1:
        return masked
    return "".join([_mask_arguments(_mask_assigned(part)) if is_named else part for is_named, part in parts])


def _mask_assigned(text: str) -> str:
    """Mask values that are assigned to a secret's name or compared with it."""
    if "=" not in text and ":" not in text:
        return text
    if _QUOTED_VALUE.search(text):
        text = _QUOTED.sub(_mask_quoted, text)
    if _UNQUOTED_VALUE.search(text):
        text = _UNQUOTED.sub(_mask_unquoted, text)
    text = _ENVIRONMENT.sub(_mask_password, text)
    text = _LINE.sub(_mask_word, text)
    if _PASSPHRASE_VALUE.search(text):
        text = _PASSPHRASE.sub(_mask_words, text)
    if "==" in text or "!=" in text:
        text = _COMPARED.sub(_mask_compared, text)
    return _CONNECTION.sub(_mask, text) if ";" in text else text


def _mask_arguments(text: str) -> str:
    """Mask values in other positions: `setPassword("…")`, `--token …`, `<password>…</password>`."""
    if _MACHINE_GENERATED_VALUE.search(text):
        text = _MACHINE_GENERATED.sub(_mask_machine_generated, text)
    if " -" in text or text.startswith("-"):
        text = _ARGUMENT.sub(_mask_random, text)
    if "</" in text:
        text = _ELEMENT.sub(_mask_password, text)
    if '"' not in text and "'" not in text:
        return text
    text = _CALL_ARGUMENT.sub(_mask_random, text)
    return _IDENTIFIED_BY.sub(_mask, _ATTRIBUTE.sub(_mask_password, text) if "value" in text else text)


def _mask(match: re.Match[str]) -> str:
    """Mask a value that can only be a secret; the group before it stays."""
    return match[0] if is_placeholder(match[2]) or match[2] == MASK else match[1] + MASK


def _mask_random(match: re.Match[str]) -> str:
    return _mask(match) if is_random(match[2]) else match[0]


def _mask_password(match: re.Match[str]) -> str:
    """Mask the value of a setting called a password."""
    return match[0] if repeats_its_name(match[2]) else _mask(match)


def _mask_word(match: re.Match[str]) -> str:
    """Mask a word of letters, unless it describes a password."""
    return match[0] if describes_password(match[2]) else _mask_password(match)


def _mask_words(match: re.Match[str]) -> str:
    """Mask a sequence of words, unless it is a sentence."""
    return match[0] if is_prose(match[2]) else _mask_password(match)


def _mask_quoted(match: re.Match[str]) -> str:
    """Mask what looks random, and any value called a password; one that is only compared must look like one."""
    if _COMPARES.search(match[1]):
        mixes = any(map(str.isdigit, match[3])) and any(map(str.isalpha, match[3]))
        secret = mixes or (is_random(match[3]) if _is_password(match) else is_machine_generated(match[3]))
    elif _is_password(match):
        secret = is_random(match[3]) or not repeats_its_name(match[3])
    else:
        secret = is_random(match[3]) and (len(match[3]) >= _MIN_PASS_CHARACTERS or match[1][:4].lower() != "pass")
    return f"{match[1]}{MASK}{match[2]}" if secret and not is_placeholder(match[3]) else match[0]


def _mask_unquoted(match: re.Match[str]) -> str:
    """An unquoted value may be an identifier, so it must look random and must not look like a call or member."""
    is_text = "." in match[2] or _ESCAPED.search(match[2]) is not None
    return match[0] if is_text or _is_code(match.string, match.start(), match.span(2)) else _mask_random(match)


def _is_code(text: str, start: int, value: tuple[int, int]) -> bool:
    """Whether an unquoted value, under a name that starts at a position, is a name in code and not a setting's value.

    A setting's value ends its line. In code something follows it, or a declaration precedes it. A password's value
    must be all of a statement: `password=Summer2024, …` may be a line of a log.
    """
    if not is_name_in_code(text[slice(*value)]):
        return False
    is_password = re.search(PHRASES, text[start : value[0]], re.IGNORECASE) is not None
    if not is_password and _ENDS_ARGUMENT.match(text, value[1]):
        return True
    is_ended = _ENDS_STATEMENT.match(text, value[1]) is not None
    earliest = max(0, start - _STATEMENT_CHARACTERS)
    statement = _BEGINS_STATEMENT.fullmatch(text, max(earliest, text.rfind("\n", earliest, start) + 1), start)
    is_declared = statement is not None and bool(is_ended or statement[1] or statement[2])
    return text[value[0] - 1] == " " and (is_declared or (is_ended and not is_password))


def _mask_machine_generated(match: re.Match[str]) -> str:
    """Mask machine-generated values under any secret-like name, or just `key`."""
    return match[1] + MASK if is_machine_generated(match[3]) and MASK not in match[3] else match[0]


def _mask_compared(match: re.Match[str]) -> str:
    """Mask what a password is compared with; for other names only a machine-generated value."""
    quote, value, name = match.groups()
    secret = is_random(value) if re.search(PHRASES, name, re.IGNORECASE) else is_machine_generated(value)
    return f"{quote}{MASK}{quote}" if secret and not is_placeholder(value) else match[0]


def _is_password(match: re.Match[str]) -> bool:
    """Whether a value is called a password or an account's `pass`; `pass` alone mostly belongs to a compiler."""
    if re.search(PHRASES, match[1], re.IGNORECASE):
        return True
    is_pass = match[1][:4].lower() == "pass"
    return is_pass and bool(
        _ACCOUNT_NAME.search(match.string, max(0, match.start() - _ACCOUNT_NAME_CHARACTERS), match.start())
    )


# Passwords that a sentence states: "the password is …", "user admin, password …", "la contraseña es …", "密码是…".

_STATED_WORDS = (
    "pass", "pwd", "contrase", "senha", "wachtwoord", "парол", "密码", "密碼", "口令", "パスワード", "비밀번호",
)  # fmt: skip
_STATED = lazy_regex(
    rf"""(?ix) (?: {PHRASES} | ({OTHER_PHRASES}) ) (?![a-z0-9_-]) [*"'`]{{0,3}}
    ( [ \t]{{1,3}} (?:is|was|ist|war|lautet|es|era|é|è|est|это) (?=[ \t:：]) [ \t]{{0,3}} [:：]?
    | [ \t]{{0,3}} (?: [是为為はが은는:：] [:：]? | [—–](?=[ ]) | (?(1)=|(?!)) ) )?
    [*]{{0,2}} [ \t\u3000]{{0,4}} ["'`“„«「『*]{{0,3}}
    ( [^\W_] [^\s"'`(){{}}\[\]<>,;\\“”„‘’«»\u3000-\u9fff\uac00-\ud7af\uff00-\uff60]{{5,200}}+
    | [!#$%&@^~+?] [^\s"'`(){{}}\[\]<>,;\\“”„‘’«»\u3000-\u9fff\uac00-\ud7af\uff00-\uff60]{{5,200}}+ ) (?![(\[{{]) """
)
_MIN_STATED_CHARACTERS = 6


def _stated_positions(small: str) -> Iterator[int]:
    for word in _STATED_WORDS:
        at = small.find(word)
        while at >= 0:
            yield at
            at = small.find(word, at + len(word))


def _stated_password(text: str, at: int) -> tuple[int, int] | None:
    """Return the place of the password after the name at a position, without the marks that end its sentence."""
    match = _STATED.match(text, at)
    if match is None:
        return None
    value = match[3].rstrip(".:?*_…")
    if len(value) < _MIN_STATED_CHARACTERS or not is_stated_password(value, follows_verb_or_colon=bool(match[2])):
        return None
    span = match.start(3), match.start(3) + len(value)
    is_assigned = (match[2] or "").strip() == ":"
    return None if is_assigned and _is_code(text, at, span) else span
