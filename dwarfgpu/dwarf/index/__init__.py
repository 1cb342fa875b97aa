"""Lookup tables: find the unit that has a name or an address (DWARF 5, 6.1)."""
