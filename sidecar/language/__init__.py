"""Natural-language grammars: corrections, conclusions, dates and other phrases, in several languages. Pure."""
