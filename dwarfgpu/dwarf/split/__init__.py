"""Split DWARF and package files (DWARF 5, 7.3).

`split_units` finds the split unit of a skeleton, `dwp` reads the index of a package.
"""
