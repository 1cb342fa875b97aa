"""Commands that show, explain and write values, types and memory.

A module for each: `print_commands`, `examine_commands`, `display_commands`, `type_commands`,
`explain_commands`, `printf_commands`, `find_commands`, `dump_commands`, `undo_commands` ("undo",
"diff"), `save_commands` ("save", "load", "generate-core-file") …
"""
