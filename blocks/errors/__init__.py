"""Error models: what goes wrong between a command and a measurement."""
