"""Classify a value in a secret's position: random, a name, a placeholder or a sentence. Pure."""

from sidecar.core.lazy_regex import lazy_regex

PHRASES = r"(?:passwor[dt]|passwd|passphrase|passcode|pwd|contrase[nñ]a)"
"""Names of passwords."""

_PLACEHOLDER = lazy_regex(
    r"(?i)^[./~]|^\$\w|\$[{(]|%[sdrv](?![A-Za-z0-9])|%[({]|^%\w+%$|^[{<]|[{<]\w{1,40}[>}]|\{\{|<%|#\{|\.\.\.|…|\*\*\*|x{6}|\byour[-_]?|example"
    r"|placeholder|process\.env|environ|redacted|change[-_]?me"
)
_EXPRESSION = lazy_regex(r"[$#%]?\{{1,2}[ ]?[\w.:?|\[\]-]{1,80}[ ]?\}{1,2}|%\(\w+\)s|<[\w ./-]{1,60}>")
"""Template expressions; braces around anything else count as signs."""

_SIGNS = frozenset("!#$%^&*()[]{}<>-_+=~?@,;:|/")
_NOT_IN_NAMES = lazy_regex(r"[!#^*+=~?@$%&]")
_RANGE = lazy_regex(r"a-z|A-Z|0-9|\\w")
"""What only a pattern contains."""

_CHANGES = lazy_regex(r"[0-9](?=[A-Za-z])|[A-Za-z](?=[0-9])")
_ITSELF = lazy_regex(rf"(?i){PHRASES}|mot.de.passe")
_PASSWORD_WORDS = frozenset(
    "required optional undefined description credentials authenticate authentication authorization unspecified"
    " encrypted unencrypted disabled placeholder confidential identifier validation protected plaintext cleartext"
    " incorrect mandatory sensitive interactive configuration environment unsupported deprecated".split()
)
_PROSE = frozenset(
    "the and for with must this that your you are not has have will can should may least most from when which than"
    " characters is be".split()
)


def is_random(value: str) -> bool:
    """Whether a value is not a word or name: it mixes digits with letters, or has characters that names do not have."""
    has_digit = any(char.isdigit() for char in value)
    has_letter = any(char.isalpha() for char in value)
    return (has_digit and has_letter) or bool(_NOT_IN_NAMES.search(value))


def is_machine_generated(value: str) -> bool:
    """Whether a value looks machine-generated: letters and digits alternate often, or it has many kinds of signs."""
    return len(_CHANGES.findall(value)) >= 6 or _has_many_signs(value)


def is_mixed(value: str) -> bool:
    """Whether a value has lowercase letters, uppercase letters and digits."""
    return any(map(str.isdigit, value)) and any(map(str.isupper, value)) and any(map(str.islower, value))


def is_placeholder(value: str) -> bool:
    """Whether a value is filled in elsewhere: `${PASSWORD}`, `<your key>`, a path."""
    return _PLACEHOLDER.search(value) is not None and not _has_many_signs(value)


def repeats_its_name(value: str) -> bool:
    """Whether the value only repeats a password's name, as labels and schemas do: `password: "newPassword"`."""
    return _ITSELF.search(value) is not None


def describes_password(value: str) -> bool:
    """Whether a word describes a password."""
    return value.lower() in _PASSWORD_WORDS


def is_prose(value: str) -> bool:
    """Whether a sequence of words is a sentence and not a passphrase."""
    return not _PROSE.isdisjoint(value.lower().split())


def _has_many_signs(value: str) -> bool:
    return len(_SIGNS.intersection(_EXPRESSION.sub("", value))) >= 6 and not _RANGE.search(value)
