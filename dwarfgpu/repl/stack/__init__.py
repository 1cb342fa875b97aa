"""Commands about frames, and about what the frame in focus has.

`frame_commands` ("bt", "up", "frame"), `frame_info_commands` ("info frame", "info locals") and
`register_commands`.
"""
