"""A stopped machine described by a state file (docs/state-files.md)."""
