"""The simulated machine: a kernel as it stands when its waves are about to start."""
