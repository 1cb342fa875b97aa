"""Stopped and running machines: waves, queues, memory, kernels that run."""
