"""From a diagram to numbers: lower, emit, build, run."""
