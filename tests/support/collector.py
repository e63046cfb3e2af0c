"""An OpenTelemetry collector on this machine: what was sent to it can be read."""

import http.server
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

from opentelemetry.proto.collector.metrics.v1.metrics_service_pb2 import ExportMetricsServiceRequest


class Collector(NamedTuple):
    """Its address, and what it got: the path and the message."""

    address: str
    got: list[tuple[str, ExportMetricsServiceRequest]]


@contextmanager
def open_collector() -> Iterator[Collector]:
    """Starts a collector, and ends it."""
    got: list[tuple[str, ExportMetricsServiceRequest]] = []

    class Endpoint(http.server.BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            got.append((self.path, ExportMetricsServiceRequest.FromString(body)))
            self.send_response(200)
            self.end_headers()

        def log_message(self, *_: Any) -> None:
            pass

    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Endpoint) as server:
        serving = threading.Thread(target=server.serve_forever)
        serving.start()
        try:
            yield Collector(f"http://127.0.0.1:{server.server_port}", got)
        finally:
            server.shutdown()
            serving.join()
