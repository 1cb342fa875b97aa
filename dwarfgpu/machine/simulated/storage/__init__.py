"""Registers and memory of running waves, and which parts of them are undefined."""
