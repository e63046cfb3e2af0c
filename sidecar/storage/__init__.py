"""SQLite for every slice: opening, transactions, migrations, caches."""
