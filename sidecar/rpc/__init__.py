"""JSON-RPC 2.0 over two byte streams: framing, envelopes, lanes, cancellation. Knows no domain."""
