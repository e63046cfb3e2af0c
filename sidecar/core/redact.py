"""What must never leave: secret-shaped values, and files that are secrets by name. Pure."""

import re
from pathlib import PurePosixPath

MASK = "[redacted]"

_SECRET_NAMES = re.compile(
    r"""(?ix) ^(
      \.env(\..+)? | .*\.(pem|key|p12|pfx|jks|keystore|kdbx|asc|gpg|ppk|ovpn|tfstate|tfvars)
      | id_(rsa|dsa|ecdsa|ed25519)(\..*)? | \.netrc | _netrc | \.npmrc | \.pypirc | \.pgpass | \.my\.cnf | \.htpasswd
      | \.git-credentials | credentials(\.json|\.ya?ml|\.toml|\.ini|\.csv)? | secrets?\.(json|ya?ml|toml|ini|env|txt|properties)
      | service[-_]?account.*\.json | \.dockercfg | .*\.secrets?
    )$"""
)
_HARMLESS_NAMES = re.compile(r"(?i)^\.env\.(example|sample|template|dist)$")

_SECRET_FOLDERS = frozenset((".ssh", ".gnupg", ".aws", ".azure", ".kube", ".docker"))

_TOKENS = re.compile(
    r"""(?x)
      -----BEGIN[ A-Z]*PRIVATE[ ]KEY-----[\s\S]*?(?:-----END[ A-Z]*PRIVATE[ ]KEY-----|\Z)
    | \b(?:sk|rk|pk)[-_](?:live|test|proj|ant|svcacct|admin)[-_][A-Za-z0-9_-]{16,}
    | \bsk-[A-Za-z0-9_-]{20,}
    | \bgh[pousr]_[A-Za-z0-9]{30,} | \bgithub_pat_[A-Za-z0-9_]{30,} | \bglpat-[A-Za-z0-9_-]{18,}
    | \bxox[abeoprs]-[A-Za-z0-9-]{10,} | \bxapp-[A-Za-z0-9-]{20,}
    | \b(?:AKIA|ASIA|AROA|AIDA)[A-Z0-9]{16}\b
    | \bAIza[A-Za-z0-9_-]{30,} | \bya29\.[A-Za-z0-9_-]{20,}
    | \bnpm_[A-Za-z0-9]{30,} | \bpypi-[A-Za-z0-9_-]{40,} | \bhf_[A-Za-z0-9]{30,}
    | \bSG\.[A-Za-z0-9_-]{16,}\.[A-Za-z0-9_-]{16,} | \bdop_v1_[a-f0-9]{40,}
    | \beyJ[A-Za-z0-9_-]{10,}\.eyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{8,}
    """
)
_ASSIGNED = re.compile(
    r"""(?ix)
    ((?:passwd|password|passphrase|secret|token|api[-_]?key|access[-_]?key|private[-_]?key|client[-_]?secret|credential)[\w.-]{0,60}
      ["']?\s{0,20}(?::=|=>|[:=])\s{0,20})
    (["'])([^"'\n\s]{8,})\2
    """
)
_URL_PASSWORD = re.compile(r"(\b[a-z][a-z0-9+.-]{0,30}://[^\s/:@]{1,100}:)([^\s/@]{3,})(@)", re.IGNORECASE)
_BEARER = re.compile(r"(?i)(\b(?:authorization\s*[:=]\s*[\"']?\s*)?(?:bearer|basic)\s+)([A-Za-z0-9+/._~=-]{16,})")


def is_secret_path(path: str) -> bool:
    """Says whether a file is a secret by its name or folder: keys, `.env` files, credentials."""
    parts = PurePosixPath(path).parts
    if not parts:
        return False
    if any(part in _SECRET_FOLDERS for part in parts[:-1]):
        return True
    return bool(_SECRET_NAMES.match(parts[-1])) and not _HARMLESS_NAMES.match(parts[-1])


def redact(text: str) -> str:
    """Replaces secret-shaped values by a mask and leaves the rest as it is."""
    text = _TOKENS.sub(MASK, text)
    text = _URL_PASSWORD.sub(rf"\1{MASK}\3", text)
    text = _BEARER.sub(rf"\1{MASK}", text)
    return _ASSIGNED.sub(rf"\1\2{MASK}\2", text)
