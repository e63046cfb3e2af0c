"""The session lock: once active, every message goes to the agent, until the user says the exit words."""
