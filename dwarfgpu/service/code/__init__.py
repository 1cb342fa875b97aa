"""Machine instructions with their source lines."""
