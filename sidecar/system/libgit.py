"""The only module that imports pygit2."""

import sys
from functools import cache
from typing import Any

from sidecar.system.environment import overridden


@cache
def pygit2() -> Any:
    """Imports pygit2, on any machine, when it is first needed.

    pygit2 loads the system's certificates when it is imported, and fails where there are none. Nothing here uses
    the network, so it is shown an empty place instead, which also saves reading a few hundred certificates.
    """
    empty = {"SSL_CERT_FILE": sys.prefix, "SSL_CERT_DIR": sys.prefix}  # a folder is no file, and holds no certificate
    with overridden(empty):
        import pygit2 as library

    return library
