"""The catalog as JSON Schemas and an OpenRPC document, which `rpc.discover` answers with."""
