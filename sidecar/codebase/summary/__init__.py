"""File summaries: definitions, invariants, imports, references, purpose and terms, parsed by grammars."""
