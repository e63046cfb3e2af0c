"""The catalog in published form: OpenRPC, JSON Schemas, TypeScript types and the method reference."""
