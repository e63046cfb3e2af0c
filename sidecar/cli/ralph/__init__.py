"""`spool ralph`: what it takes, the loop it runs, and what it tells."""
