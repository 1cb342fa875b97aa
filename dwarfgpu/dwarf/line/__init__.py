"""Line number information (DWARF 5, 6.2).

`header` and `program` read `.debug_line`, `line_table` has the rows, `source_lines` finds
addresses of a line, `stepping` the ranges of a step.
"""
