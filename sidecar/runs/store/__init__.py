"""The slice's tables: the ledger, the records of pre-runs and runs, the artifacts."""
