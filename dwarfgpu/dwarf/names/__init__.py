"""Name spelling and demangling."""
