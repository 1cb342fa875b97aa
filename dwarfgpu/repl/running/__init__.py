"""Commands that run the program, for a backend that does."""
