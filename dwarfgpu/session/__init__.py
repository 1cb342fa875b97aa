"""One stopped machine with its code objects: frames, variables, lanes.

`session` is the front door. `frame` has the location and the activity of lanes, `stack_frames`
the frames as users count them, `entry_values` values on entry, `read_variable` contents.
"""
