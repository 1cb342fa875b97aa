"""Line number information (DWARF 5, 6.2).

`header` and `program` read `.debug_line`, `line_table` has the rows, `line_lookup` finds
addresses of a line, `gdb_rows` keeps the rows that GDB keeps.
"""
