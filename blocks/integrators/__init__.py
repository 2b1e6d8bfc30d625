"""Structural integrators: the equation of motion, advanced step by step."""
