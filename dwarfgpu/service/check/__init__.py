"""The findings of `check` in a file."""
