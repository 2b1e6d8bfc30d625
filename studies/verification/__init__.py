"""Verification: every integrator measured in the compiled engine and compared with its theory."""
