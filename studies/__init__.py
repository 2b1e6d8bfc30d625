"""Studies over diagrams: sweeps, tables and figures."""
