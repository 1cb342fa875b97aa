"""Location coverage: where in its scope a variable has a location or a value."""
