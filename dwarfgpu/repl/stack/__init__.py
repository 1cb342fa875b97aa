"""Commands about frames, and about what the frame in focus has.

`frame_commands` ("frame", "up", "pc"), `backtrace_commands`, `locals_commands` ("info locals",
"info args"), `frame_info_commands` ("info frame") and `register_commands`.
"""
