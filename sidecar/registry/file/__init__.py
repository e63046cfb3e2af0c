"""The registry's file: where it lies, what it says, and how it is changed without touching what is not meant."""
