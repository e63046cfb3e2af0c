"""JSON-RPC 2.0 over two byte streams: framing, envelopes, scheduling, cancellation. Knows no domain."""
