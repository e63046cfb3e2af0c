"""Values and rules without I/O or third-party dependencies."""
