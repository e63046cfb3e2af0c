"""Recognise secret files by name or folder: key files, `.env` files, credentials. Pure."""

from sidecar.core.lazy_regex import lazy_regex

_SECRET_NAMES = lazy_regex(
    r"""(?ix) (?:
      \.env(?:rc|[._-].+)? | .+\.env
      | .*\.(?:pem|key|p8|p12|pfx|jks|keystore|kdbx|asc|gpg|ppk|ovpn|tfstate|tfstate\.backup|tfvars|secrets?)
      | id_(?:rsa|dsa|ecdsa|ed25519)(?:\..*)? | [._]netrc | \.npmrc | \.pypirc | \.pgpass | \.my\.cnf | \.htpasswd
      | \.git-credentials | (?:.*[._-])?credentials(?:\.(?:json|ya?ml|toml|ini|csv|txt))?
      | (?:.*[._-])?secrets?\.(?:json|ya?ml|toml|ini|env|txt|properties) | client_secret.*\.json
      | service[-_]?account.*\.json | \.dockercfg | kubeconfig | \.s3cfg | \.boto | \.vault[-_](?:token|pass(?:word)?)
    )"""
)
_HARMLESS_NAMES = lazy_regex(
    r"(?i)\.env[._-](?:example|sample|template|dist|defaults?)|(?:example|sample|template)\.env"
)

_SECRET_FOLDERS = frozenset((".ssh", ".gnupg", ".aws", ".azure", ".kube", ".docker"))


def is_secret_path(path: str) -> bool:
    """Whether a file is secret by its name or folder."""
    *folders, name = path.split("/")
    if any(folder.lower() in _SECRET_FOLDERS for folder in folders):
        return True
    return bool(_SECRET_NAMES.fullmatch(name)) and not _HARMLESS_NAMES.fullmatch(name)
