"""What kind of value stands where a secret may: drawn at random, a name, a placeholder, a sentence. Pure."""

from sidecar.core.lazy_regex import regex

PHRASES = r"(?:passwor[dt]|passwd|passphrase|passcode|pwd|contrase[nñ]a)"
"""What passwords are called."""

_PLACEHOLDER = regex(
    r"(?i)^[./~]|^\$\w|\$[{(]|%[sdrv](?![A-Za-z0-9])|%[({]|^%\w+%$|^[{<]|[{<]\w{1,40}[>}]|\{\{|<%|#\{|\.\.\.|…|\*\*\*|x{6}|\byour[-_]?|example"
    r"|placeholder|process\.env|environ|redacted|change[-_]?me"
)
_EXPRESSION = regex(r"[$#%]?\{{1,2}[ ]?[\w.:?|\[\]-]{1,80}[ ]?\}{1,2}|%\(\w+\)s|<[\w ./-]{1,60}>")
"""What is filled in later; braces that stand around anything else are signs."""

_SIGNS = frozenset("!#$%^&*()[]{}<>-_+=~?@,;:|/")
_NO_NAME = regex(r"[!#^*+=~?@$%&]")
_RANGE = regex(r"a-z|A-Z|0-9|\\w")
"""What only a pattern has."""

_CHANGES = regex(r"[0-9](?=[A-Za-z])|[A-Za-z](?=[0-9])")
_ITSELF = regex(rf"(?i){PHRASES}|mot.de.passe")
_SAID_OF_PASSWORDS = frozenset(
    "required optional undefined description credentials authenticate authentication authorization unspecified"
    " encrypted unencrypted disabled placeholder confidential identifier validation protected plaintext cleartext"
    " incorrect mandatory sensitive interactive configuration environment unsupported deprecated".split()
)
_PROSE = frozenset(
    "the and for with must this that your you are not has have will can should may least most from when which than"
    " characters is be".split()
)


def is_random(value: str) -> bool:
    """Says whether a value is no word or name: it mixes digits with letters, or has signs that names have not."""
    has_digit = any(char.isdigit() for char in value)
    has_letter = any(char.isalpha() for char in value)
    return (has_digit and has_letter) or bool(_NO_NAME.search(value))


def is_drawn(value: str) -> bool:
    """Says whether no one would type a value: letters and digits change places often, or it has signs of many kinds."""
    return len(_CHANGES.findall(value)) >= 6 or _has_many_signs(value)


def is_mixed(value: str) -> bool:
    """Says whether small and capital letters and digits stand in a value."""
    return any(map(str.isdigit, value)) and any(map(str.isupper, value)) and any(map(str.islower, value))


def is_placeholder(value: str) -> bool:
    """Says whether a value stands for one that is filled in elsewhere: `${PASSWORD}`, `<your key>`, a path."""
    return _PLACEHOLDER.search(value) is not None and not _has_many_signs(value)


def names_itself(value: str) -> bool:
    """Says whether a password is only called so again, as labels and schemas do: `password: "newPassword"`."""
    return _ITSELF.search(value) is not None


def is_said_of_passwords(value: str) -> bool:
    """Says whether a word describes a password in place of being one."""
    return value.lower() in _SAID_OF_PASSWORDS


def is_prose(value: str) -> bool:
    """Says whether words in a row are a sentence and no passphrase."""
    return not _PROSE.isdisjoint(value.lower().split())


def _has_many_signs(value: str) -> bool:
    return len(_SIGNS.intersection(_EXPRESSION.sub("", value))) >= 6 and not _RANGE.search(value)
