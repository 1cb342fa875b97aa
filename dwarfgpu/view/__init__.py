"""Values, locations and stack entries as text and as JSON."""
