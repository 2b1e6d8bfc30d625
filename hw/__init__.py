"""Hardware: the driver contract and its drivers."""
