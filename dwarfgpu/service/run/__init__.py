"""Runs of kernels without a user at a prompt: traces, and stops at breakpoints."""
