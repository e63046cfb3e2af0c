"""Whether what the registry names is there and whole; advisory (intelligence-layer.md 5.3, Article XIV 2)."""
