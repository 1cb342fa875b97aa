"""Machine instructions, with the source that they come from."""
