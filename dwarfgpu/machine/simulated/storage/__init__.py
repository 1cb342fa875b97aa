"""Registers and memories of waves that run, and what of them is undefined."""
