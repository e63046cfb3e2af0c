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

_TOKENS = re.compile(
    r"""(?x)
      -----BEGIN[ A-Z]{0,40}PRIVATE[ ]KEY(?:[ ]BLOCK)?-----
      [\s\S]*?(?:-----END[ A-Z]{0,40}PRIVATE[ ]KEY(?:[ ]BLOCK)?-----|\Z)
    | \b(?:sk|rk|pk|whsec)[-_](?:live|test|proj|ant|svcacct|admin|or)[-_][A-Za-z0-9_-]{16,}
    | \bsk-[A-Za-z0-9_-]{20,} | \bwhsec_[A-Za-z0-9+/=]{20,} | \bgsk_[A-Za-z0-9]{30,} | \bxai-[A-Za-z0-9]{30,}
    | \bgh[pousr]_[A-Za-z0-9]{30,} | \bgithub_pat_[A-Za-z0-9_]{30,} | \bgl(?:pat|ptt|dt|rt|oas)-[A-Za-z0-9_-]{18,}
    | \bxox[abeoprs]-[A-Za-z0-9-]{10,} | \bxapp-[A-Za-z0-9-]{20,}
    | (?<=hooks\.slack\.com/services/)[A-Za-z0-9/]{20,}
    | \b(?:AKIA|ASIA|AROA|AIDA)[A-Z0-9]{16}\b
    | \bAIza[A-Za-z0-9_-]{30,} | \bya29\.[A-Za-z0-9_-]{20,} | \bGOCSPX-[A-Za-z0-9_-]{20,}
    | \bnpm_[A-Za-z0-9]{30,} | \bpypi-[A-Za-z0-9_-]{40,} | \bhf_[A-Za-z0-9]{30,} | \bdckr_pat_[A-Za-z0-9_-]{20,}
    | \bSG\.[A-Za-z0-9_-]{16,64}\.[A-Za-z0-9_-]{16,} | \bdo[por]_v1_[a-f0-9]{40,} | \bshp(?:at|ca|pa|ss)_[a-fA-F0-9]{32}
    | \bhvs\.[A-Za-z0-9_-]{20,} | \blin_api_[A-Za-z0-9]{30,} | \bfigd_[A-Za-z0-9_-]{30,} | \bntn_[A-Za-z0-9]{30,}
    | \bAGE-SECRET-KEY-1[A-Z0-9]{50,} | \bdapi[a-f0-9]{32}\b | \b[0-9]{8,10}:AA[A-Za-z0-9_-]{32,}
    | (?<![\w-])eyJ[A-Za-z0-9_-]{10,2000}\.eyJ[A-Za-z0-9_-]{10,6000}\.[A-Za-z0-9_-]{8,}
    """
)

_PHRASES = r"(?:passwd|password|passphrase|pwd)"
_KEYS = (
    r"(?:secret|token|credential|api[-_]?key|access[-_]?key|private[-_]?key|account[-_]?key|secret[-_]?key|signing[-_]?key"
    r"|encryption[-_]?key)"
)
_KEY_END = r"(?:[-_]?(?:s|value|hash|base64|\d{1,3}|prod|production|dev|test|staging)){0,2}"
_ASSIGNS = r"[\"']?\s{0,20}(?::=|=>|[:=])\s{0,20}"

_QUOTED = re.compile(rf"""(?ix) ( (?:{_PHRASES}|{_KEYS}) {_KEY_END} {_ASSIGNS} ) (["'`]) ([^"'`\n\s]{{8,1000}}) \2 """)
_UNQUOTED = re.compile(
    rf"""(?ix) ( (?:{_PHRASES}|{_KEYS}) {_KEY_END} (?:=|:[ ]{{1,4}}|[ ]{{1,4}}=[ ]{{1,4}}) )
    ([^\s"'`(){{}}\[\]<>$,;&=]{{8,500}}+={{0,2}}) (?=[\s,;&"'`]|\Z) """
)
_URL_PASSWORD = re.compile(r"(?i)((?<![a-z0-9+.-])[a-z][a-z0-9+.-]{0,30}://[^\s/:@]{0,100}:)([^\s/@]{3,200})(@)")
_BEARER = re.compile(r"(?i)(\b(?:bearer|basic)\s{1,8})([a-z0-9+/._~=-]{16,4000})")

_PLACEHOLDER = re.compile(
    r"(?i)^[./~]|[$%<{]|\.\.\.|\*\*\*|x{6}|your[-_]?|example|placeholder|process\.env|environ|redacted"
)


def is_secret_path(path: str) -> bool:
    """Says whether a file is a secret by its name or folder: keys, `.env` files, credentials."""
    *folders, name = path.split("/")
    if any(folder.lower() in _SECRET_FOLDERS for folder in folders):
        return True
    return bool(_SECRET_NAMES.fullmatch(name)) and not _HARMLESS_NAMES.fullmatch(name)


def redact(text: str) -> str:
    """Replaces secret-shaped values by a mask and leaves the rest as it is."""
    text = _TOKENS.sub(MASK, text)
    text = _URL_PASSWORD.sub(rf"\1{MASK}\3", text)
    text = _BEARER.sub(lambda found: found[1] + (MASK if _is_random(found[2]) else found[2]), text)
    text = _QUOTED.sub(_masked_quoted, text)
    return _UNQUOTED.sub(_masked_unquoted, text)


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
