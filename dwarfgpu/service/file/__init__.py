"""Facts about a file: what it has, and its call frame information."""
