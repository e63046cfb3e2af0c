"""The texts that tell of a run: development log, decision stub, rejected approach."""
