"""Tests on a rig, before and after: the plan, the record, the timing of a machine."""
