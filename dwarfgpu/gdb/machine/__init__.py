"""A stopped machine behind GDB's Python.

`gdb_target` is the `Target`, `rocm` what only ROCgdb has, `loaded_sections` where files are.
"""
