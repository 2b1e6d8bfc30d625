"""Monitors: indicators of how far a test can be trusted."""
