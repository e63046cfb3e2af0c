"""Text handling: sanitizing, clipping, prose, Markdown, YAML. Pure."""
