"""What is meant by an intent, which entities cover it, and what that means: REUSE, ADAPT or CREATE."""
