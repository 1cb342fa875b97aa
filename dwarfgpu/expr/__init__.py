"""DWARF expressions (AMD text A.2.5)."""
