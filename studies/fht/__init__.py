"""The Fast Hybrid Test (Shing et al. 2004): a column with two actuators, and a frame with OpenSees inside."""
