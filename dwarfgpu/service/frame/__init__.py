"""Call frames, their registers, and the frame in focus.

`backtrace` answers "bt", `frame_info` and `cpu_frame_info` answer "info frame", `register_values`
answers "info registers"; `focus` is the line about where one looks.
"""
