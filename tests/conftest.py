"""Settings shared by all tests."""

import os

# Figures are written to files; no test may need a display. Set before anything imports matplotlib.
os.environ["MPLBACKEND"] = "Agg"

from hypothesis import settings

# No deadline: the first example of a property may compile, and the machine may be busy.
# In CI the examples are the same in every run; elsewhere each run tries new ones.
settings.register_profile("hybsim", deadline=None, derandomize="CI" in os.environ)
settings.load_profile("hybsim")
