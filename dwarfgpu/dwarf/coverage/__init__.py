"""Where in its scope a variable is described."""
