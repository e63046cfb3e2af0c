"""The commands of who keeps it well: how it stands, what it did, what is wrong, what goes."""
