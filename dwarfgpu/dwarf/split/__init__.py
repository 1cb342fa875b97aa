"""Split DWARF and package files (DWARF 5, 7.3)."""
