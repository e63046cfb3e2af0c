"""The report: one HTML file that needs nothing else, made of what the state file has measured."""
