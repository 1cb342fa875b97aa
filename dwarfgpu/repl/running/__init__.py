"""Commands that run the program, for a backend that does.

`break_commands`, `watch_commands` and `catch_commands` declare where it stops, `resume_commands`,
`finish_commands` and `jump_commands` let it run; `stops` decides whether it has stopped, with
`conditions`.
"""
