"""Natural-language grammars: lasting statements, corrections, conclusions and other phrases, in ten languages. Pure."""
