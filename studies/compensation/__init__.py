"""All delay compensators on one record."""
