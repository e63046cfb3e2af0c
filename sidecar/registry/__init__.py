"""The registry of what a project has: entities, decisions whether to reuse them, impact, health."""
