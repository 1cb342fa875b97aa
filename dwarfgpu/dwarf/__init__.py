"""Units, DIEs, types, scopes and location lists; alone here elftools.dwarf may be imported."""
