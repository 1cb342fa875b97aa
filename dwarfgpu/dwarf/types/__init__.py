"""Types of the source program (DWARF 5, chapter 5; AMD text A.5)."""
