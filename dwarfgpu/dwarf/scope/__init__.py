"""Scopes and what they declare, by pc and by name (DWARF 5, chapters 3 and 4).

`by_pc` turns a pc into scopes, `name_lookup` a name into meanings, with what `scope_members` has in
one scope; `variable` and `subprogram` are what they find, `symbol_at_address` is for code without
entries.
"""
