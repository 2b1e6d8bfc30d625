"""Operator splitting with an estimated tangent stiffness (Hung & El-Tawil 2009)."""
