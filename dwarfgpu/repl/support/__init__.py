"""Commands about commands: help, settings, scripts, other programs, LLDB's names.

`help_commands`, `setting_commands` ("set", "show"), `source_commands`, `script_commands` ("if",
"while"), `user_commands` ("define", "alias"), `shell_commands` ("shell", "python"),
`lldb_commands`; `absent_commands` has those of GDB that are refused.
"""
