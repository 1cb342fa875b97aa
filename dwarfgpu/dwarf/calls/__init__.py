"""Call sites, entry values and tail calls (DWARF 5, 3.4; AMD text A.3.4)."""
