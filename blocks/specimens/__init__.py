"""Specimens: the restoring force of the part under test."""
