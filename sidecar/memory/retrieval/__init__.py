"""Which memories are told: for a question, for what a run is about, unasked at a start."""
