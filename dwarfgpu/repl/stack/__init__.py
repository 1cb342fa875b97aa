"""Commands about frames, and about what the frame in focus has.

`frame_commands` ("bt", "up", "frame", "info locals"), `frame_info_commands` ("info frame") and
`register_commands`.
"""
