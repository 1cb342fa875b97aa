"""Values of variables, expressions and DWARF operations: what they are, where and why."""
