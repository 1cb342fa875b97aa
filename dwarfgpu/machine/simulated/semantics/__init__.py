"""From a machine instruction to the Python that executes it."""
