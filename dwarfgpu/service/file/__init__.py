"""Facts about a file: its contents and its call frame information."""
