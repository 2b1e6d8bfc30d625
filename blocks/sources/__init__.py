"""Sources: ground-motion records, test signals and seeded noise."""
