"""Values and rules without input, output or a library beneath them."""
