"""Core files: report on existing ones, and write new ones."""
