"""One stopped machine with its code objects: frames, variables, lanes.

`session` is the front door. `lane_states` decides where lanes are and which are active,
`stack_frames` has the frames as users count them, `entry_values` values on entry, `read_variable`
contents, and `description_notes` what these assume.
"""
