"""SQLite once, for every slice: opening, transactions, migrations, caches."""
