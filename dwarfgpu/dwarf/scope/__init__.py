"""Scopes and what they declare, by pc and by name (DWARF 5, chapters 3 and 4)."""
