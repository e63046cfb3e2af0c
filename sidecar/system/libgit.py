"""pygit2, imported lazily; no other module imports it."""

import sys
from functools import cache
from typing import Any

from sidecar.system.environment import temporary_variables


@cache
def pygit2() -> Any:
    """Import pygit2 on first use.

    pygit2 loads the system's certificates at import and fails without any. Only `fetch` needs them and sets them
    itself, so an empty folder stands in here, which also saves reading a few hundred certificates.
    """
    empty = {
        "SSL_CERT_FILE": sys.prefix,
        "SSL_CERT_DIR": sys.prefix,
    }  # a folder is not a certificate file and contains no certificate
    with temporary_variables(empty):
        import pygit2 as library

    return library
