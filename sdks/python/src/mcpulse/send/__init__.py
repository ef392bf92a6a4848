"""The ring and what leaves it."""
