"""Actuators and delays: what lies between a command and the motion."""
