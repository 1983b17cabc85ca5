"""Learning by similarity, and fewer dimensions: exact, fast, and with its evidence."""
