"""Look-up tables: which unit has a name or an address (DWARF 5, 6.1)."""
