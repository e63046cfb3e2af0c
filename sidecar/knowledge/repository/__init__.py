"""The knowledge repository: where it lies, what one commit of it holds, and its items."""
