"""The settings: a table, their layers, and the methods that read and change them."""
