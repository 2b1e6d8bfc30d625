"""What the document does not ask: how thresholds depend on the structure, and what many errors do at once."""
