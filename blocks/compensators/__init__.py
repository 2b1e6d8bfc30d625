"""Compensators: commands that make up for the actuator's delay."""
