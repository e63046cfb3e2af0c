"""What must never leave: secret-shaped values, and files that are secrets by name. Pure.

Texts come from anyone, so every pattern's time grows with the text's length and no faster: a repetition has a bound,
is possessive, or begins where no earlier match could have gone on.
"""

import re

MASK = "[redacted]"

_SECRET_NAMES = re.compile(
    r"""(?ix) (?:
      \.env(?:rc|[._-].+)? | .+\.env
      | .*\.(?:pem|key|p8|p12|pfx|jks|keystore|kdbx|asc|gpg|ppk|ovpn|tfstate|tfstate\.backup|tfvars|secrets?)
      | id_(?:rsa|dsa|ecdsa|ed25519)(?:\..*)? | [._]netrc | \.npmrc | \.pypirc | \.pgpass | \.my\.cnf | \.htpasswd
      | \.git-credentials | (?:.*[._-])?credentials(?:\.(?:json|ya?ml|toml|ini|csv|txt))?
      | (?:.*[._-])?secrets?\.(?:json|ya?ml|toml|ini|env|txt|properties) | client_secret.*\.json
      | service[-_]?account.*\.json | \.dockercfg | kubeconfig | \.s3cfg | \.boto | \.vault[-_](?:token|pass(?:word)?)
    )"""
)
_HARMLESS_NAMES = re.compile(
    r"(?i)\.env[._-](?:example|sample|template|dist|defaults?)|(?:example|sample|template)\.env"
)

_SECRET_FOLDERS = frozenset((".ssh", ".gnupg", ".aws", ".azure", ".kube", ".docker"))

_PEM = re.compile(
    r"-----BEGIN[ A-Z]{0,40}PRIVATE KEY(?: BLOCK)?-----"
    r"[\s\S]*?(?:-----END[ A-Z]{0,40}PRIVATE KEY(?: BLOCK)?-----|\Z)"
)
_JSON_WEB_TOKEN = re.compile(r"eyJ[A-Za-z0-9_-]{10,2000}\.eyJ[A-Za-z0-9_-]{10,6000}\.[A-Za-z0-9_-]{8,}")
_BOT_TOKEN = re.compile(r"\b[0-9]{8,10}:AA[A-Za-z0-9_-]{32,}")
_WORD = "A-Za-z0-9_-"

_PREFIXED = (
    *((f"{kind}{mark}{what}", rf"[-_][{_WORD}]{{16,}}") for kind in ("sk", "rk", "pk", "whsec") for mark in "-_"
      for what in ("live", "test", "proj", "ant", "svcacct", "admin", "or")),
    ("sk-", rf"[{_WORD}]{{20,}}"), ("whsec_", r"[A-Za-z0-9+/=]{20,}"), ("gsk_", r"[A-Za-z0-9]{30,}"),
    ("xai-", r"[A-Za-z0-9]{30,}"), *((f"gh{kind}_", r"[A-Za-z0-9]{30,}") for kind in "pousr"),
    ("github_pat_", r"[A-Za-z0-9_]{30,}"),
    *((f"gl{kind}-", rf"[{_WORD}]{{18,}}") for kind in ("pat", "ptt", "dt", "rt", "oas")),
    *((f"xox{kind}-", r"[A-Za-z0-9-]{10,}") for kind in "abeoprs"), ("xapp-", r"[A-Za-z0-9-]{20,}"),
    *((kind, r"[A-Z0-9]{16}\b") for kind in ("AKIA", "ASIA", "AROA", "AIDA")),
    ("AIza", rf"[{_WORD}]{{30,}}"), ("ya29.", rf"[{_WORD}]{{20,}}"), ("GOCSPX-", rf"[{_WORD}]{{20,}}"),
    ("npm_", r"[A-Za-z0-9]{30,}"), ("pypi-", rf"[{_WORD}]{{40,}}"), ("hf_", r"[A-Za-z0-9]{30,}"),
    ("dckr_pat_", rf"[{_WORD}]{{20,}}"), ("SG.", rf"[{_WORD}]{{16,64}}\.[{_WORD}]{{16,}}"),
    *((f"do{kind}_v1_", r"[a-f0-9]{40,}") for kind in "por"),
    *((f"shp{kind}_", r"[a-fA-F0-9]{32}") for kind in ("at", "ca", "pa", "ss")),
    ("hvs.", rf"[{_WORD}]{{20,}}"), ("lin_api_", r"[A-Za-z0-9]{30,}"), ("figd_", rf"[{_WORD}]{{30,}}"),
    ("ntn_", r"[A-Za-z0-9]{30,}"), ("AGE-SECRET-KEY-1", r"[A-Z0-9]{50,}"), ("dapi", r"[a-f0-9]{32}\b"),
)  # fmt: skip
_TOKENS = tuple((prefix, re.compile(re.escape(prefix) + rest)) for prefix, rest in _PREFIXED)
"""Tokens by what they begin with. A pattern runs only where its beginning stands in the text, and begins with it: both
are searched for at memory speed, where one pattern of all alternatives takes a second for each megabyte."""

_TOKEN_BEGINS = re.compile(rf"(?<![A-Za-z0-9_])(?:{'|'.join(re.escape(prefix) for prefix, _ in _TOKENS)})")
_SHORTEST_TOKEN = 15
_TOKEN_CHARACTERS = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_+/=.-"
_ONLY_TOKENS = bytes(byte if byte in _TOKEN_CHARACTERS else 0x20 for byte in range(256))

_SLACK_HOOK = re.compile(r"(hooks\.slack\.com/services/)[A-Za-z0-9/]{20,}")

_PHRASES = r"(?:passwd|password|passphrase|pwd)"
_KEYS = (
    r"(?:secret|token|credential|api[-_]?key|access[-_]?key|private[-_]?key|account[-_]?key|secret[-_]?key|signing[-_]?key"
    r"|encryption[-_]?key)"
)
_FOLDED_WORDS = ("passw", "pwd", "passphrase", "secret", "token", "credential")
_NAMED_KEYS = tuple(
    word + mark
    for word in ("api", "access", "private", "account", "secret", "signing", "encryption")
    for mark in ("", "-", "_")
)
"""What `key` follows where it is the word for a secret; mostly it is just a key."""

_LONGEST_NAME = max(map(len, _NAMED_KEYS))

_KEY_WORDS = tuple(variant for word in (*_FOLDED_WORDS, "key") for variant in (word, word.capitalize(), word.upper()))
_KEY_END = r"(?:[-_]?(?:s|value|hash|base64|base|\d{1,3}|prod|production|dev|test|staging)){0,2}"
_ASSIGNS = r"[\"']?\s{0,20}(?::=|=>|[:=])\s{0,20}"

_QUOTED = re.compile(rf"""(?ix) ( (?:{_PHRASES}|{_KEYS}) {_KEY_END} {_ASSIGNS} ) (["'`]) ([^"'`\n\s]{{6,8000}}) \2 """)
_UNQUOTED = re.compile(
    rf"""(?ix) ( (?:{_PHRASES}|{_KEYS}) {_KEY_END} (?:=|:[ ]{{1,4}}|[ ]{{1,4}}=[ ]{{1,4}}) )
    ([^\s"'`(){{}}\[\]<>$,;&=]{{8,500}}+={{0,2}}) (?=[\s,;&"'`]|\Z) """
)
_URL_PASSWORD = re.compile(r"(://[^\s/:@]{0,100}:)([^\s/@]{3,200})(@)")
_BEARER_WORDS = ("bearer", "basic", "authorization")
_BEARER = re.compile(r"(?i)(\b(?:bearer|basic|authorization:\s{0,4}token)\s{1,8})([a-z0-9+/._~=-]{16,4000})")

_PLACEHOLDER = re.compile(
    r"(?i)^[./~]|[$%<{]|\.\.\.|\*\*\*|x{6}|your[-_]?|example|placeholder|process\.env|environ|redacted"
)


def is_secret_path(path: str) -> bool:
    """Says whether a file is a secret by its name or folder: keys, `.env` files, credentials."""
    *folders, name = path.split("/")
    if any(folder.lower() in _SECRET_FOLDERS for folder in folders):
        return True
    return bool(_SECRET_NAMES.fullmatch(name)) and not _HARMLESS_NAMES.fullmatch(name)


def _without_tokens(text: str) -> str:
    """Replaces what is a secret by its own shape, whatever stands before it."""
    runs = _long_runs(text)
    if _TOKEN_BEGINS.search(runs):
        for prefix, pattern in _TOKENS:
            if prefix in runs:
                text = pattern.sub(_masked_word, text)
    if "-----BEGIN" in text:
        text = _PEM.sub(MASK, text)
    if "eyJ" in text:
        text = _JSON_WEB_TOKEN.sub(_masked_word, text)
    if ":AA" in text:
        text = _BOT_TOKEN.sub(MASK, text)
    if "hooks.slack.com/" in text:
        text = _SLACK_HOOK.sub(rf"\1{MASK}", text)
    return text


def _long_runs(text: str) -> str:
    """Gives the runs of characters as long as the shortest token: a tenth of a source text is left to search.

    Cutting all of it up by one table takes half the time of a pattern that looks for long runs.
    """
    runs = text.encode("utf-8", "replace").translate(_ONLY_TOKENS).decode("ascii").split()
    return "\n".join({run for run in runs if len(run) >= _SHORTEST_TOKEN})


def redact(text: str) -> str:
    """Replaces secret-shaped values by a mask and leaves the rest as it is."""
    text = _without_tokens(text)
    text = _URL_PASSWORD.sub(rf"\1{MASK}\3", text)
    folded = text.lower()
    if any(word in folded for word in _BEARER_WORDS):
        text = _BEARER.sub(lambda found: found[1] + (MASK if _is_random(found[2]) else found[2]), text)
    return "".join(_without_assigned(part) if has_key else part for has_key, part in _by_key_words(text))


def redact_lines(text: str) -> str:
    """Does the same and keeps every line where it is, also those of a key that spans many."""
    if "-----BEGIN" in text:
        text = _PEM.sub(lambda found: MASK + "\n" * found[0].count("\n"), text)
    return redact(text)


def _without_assigned(text: str) -> str:
    if "=" not in text and ":" not in text:
        return text
    return _UNQUOTED.sub(_masked_unquoted, _QUOTED.sub(_masked_quoted, text))


def _by_key_words(text: str) -> list[tuple[bool, str]]:
    """Cuts a text at line ends into parts that hold a word for a secret, each with its next line, and the others.

    Finding the words first is ten times faster than looking for assignments everywhere.
    """
    parts: list[tuple[bool, str]] = []
    done = 0
    for position in sorted(_key_positions(text)):
        if position < done:
            continue
        start = max(done, text.rfind("\n", 0, position) + 1)
        end = _line_end(text, _line_end(text, position))
        parts += [(False, text[done:start]), (True, text[start:end])]
        done = end
    return [*parts, (False, text[done:])]


def _key_positions(text: str) -> list[int]:
    """Where a word for a secret begins; words in small letters are found in a third of the looks."""
    if not text.isascii():  # small letters may take another number of characters
        return [found.start() for word in _KEY_WORDS if word in text for found in re.finditer(word, text)]
    folded = text.lower()
    positions = [found.start() for word in _FOLDED_WORDS if word in folded for found in re.finditer(word, folded)]
    keys = (found.start() for found in re.finditer("key", folded)) if "key" in folded else ()
    return positions + [at for at in keys if folded.endswith(_NAMED_KEYS, max(0, at - _LONGEST_NAME), at)]


def _line_end(text: str, position: int) -> int:
    """Gives the place behind the line end at or after a position; the text's end without one."""
    found = text.find("\n", position)
    return found + 1 if found >= 0 else len(text)


def _masked_word(found: re.Match[str]) -> str:
    """Masks a token that begins a word; inside of one it is the word's business."""
    start = found.start()
    inside = start > 0 and (found.string[start - 1].isalnum() or found.string[start - 1] == "_")
    return found[0] if inside else MASK


def _masked_quoted(found: re.Match[str]) -> str:
    before, quote, value = found[1], found[2], found[3]
    secret = _is_random(value) or (_is_password_key(before) and not _names_itself(value))
    return f"{before}{quote}{MASK}{quote}" if secret and not _PLACEHOLDER.search(value) else found[0]


def _masked_unquoted(found: re.Match[str]) -> str:
    """Without quotes a value may as well be a name from code, so it must look random, and not like a call or member."""
    before, value = found[1], found[2]
    secret = _is_random(value) and "." not in value and not _PLACEHOLDER.search(value)
    return before + MASK if secret and value != MASK else found[0]


def _is_random(value: str) -> bool:
    """Says whether a value is no word or name: it mixes digits with letters, or has signs that names have not."""
    has_digit = any(char.isdigit() for char in value)
    has_letter = any(char.isalpha() for char in value)
    return (has_digit and has_letter) or bool(re.search(r"[!#^*+=~?@]", value))


def _is_password_key(key: str) -> bool:
    return re.search(_PHRASES, key, re.IGNORECASE) is not None


def _names_itself(value: str) -> bool:
    """Says whether a password is only called so again, as labels and schemas do: `password: "newPassword"`."""
    return re.search(rf"(?i){_PHRASES}|passwort|contrase|mot.de.passe", value) is not None
