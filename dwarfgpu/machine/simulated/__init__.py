"""The simulated machine: a kernel just before its waves start."""
