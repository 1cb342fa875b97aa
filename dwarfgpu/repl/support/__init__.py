"""Commands about commands: help, settings, scripts, other programs, LLDB's names.

`help_commands`, `setting_commands` ("set", "show"), `script_commands` ("source", "if"),
`user_commands` ("define", "alias"), `shell_commands` ("shell", "python"), `lldb_commands`;
`absent_commands` has those of GDB that are refused.
"""
