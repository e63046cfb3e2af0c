"""What the catalog says, published: OpenRPC, JSON Schemas, TypeScript types, the method reference."""
