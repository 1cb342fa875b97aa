"""A stopped process described by a core file."""
