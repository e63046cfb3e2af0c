"""What happened: runs, the delivery ledger, test status, task state, artifacts."""
