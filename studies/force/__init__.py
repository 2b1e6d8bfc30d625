"""Force-based hybrid simulation (Shao 2010): shake table and actuators share the load of a specimen."""
