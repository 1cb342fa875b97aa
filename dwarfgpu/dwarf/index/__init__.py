"""Lookup tables: find the unit that has a name or an address (DWARF 5, 6.1).

`aranges`, `debug_names` and `gdb_index` read what compilers and linkers write. Without these,
`collect_names` reads every entry once, and `cached_names` keeps the names.
"""
