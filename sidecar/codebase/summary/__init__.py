"""What a file is: its definitions, invariants, imports, references, purpose and terms, read by its grammar."""
