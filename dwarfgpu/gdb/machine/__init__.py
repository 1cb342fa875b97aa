"""A stopped machine behind GDB's Python."""
