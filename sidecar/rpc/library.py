"""jsonrpcserver's dispatcher and what belongs to it, without the rest of the package.

The package's own `__init__` compiles a JSON schema validator for the envelope (110 ms and 12 MB at every start);
`envelope.py` makes those checks here. So the package is registered without running its `__init__`, and its modules,
which do not need it, are imported from there unchanged.
"""

import sys
from importlib.util import find_spec, module_from_spec

if "jsonrpcserver" not in sys.modules:
    _spec = find_spec("jsonrpcserver")
    assert _spec is not None
    sys.modules["jsonrpcserver"] = module_from_spec(_spec)

from jsonrpcserver.codes import ERROR_INVALID_PARAMS, ERROR_METHOD_NOT_FOUND
from jsonrpcserver.dispatcher import dispatch_request
from jsonrpcserver.exceptions import JsonRpcError
from jsonrpcserver.request import Request
from jsonrpcserver.result import Success

__all__ = [
    "ERROR_INVALID_PARAMS",
    "ERROR_METHOD_NOT_FOUND",
    "JsonRpcError",
    "Request",
    "Success",
    "dispatch_request",
]
