"""Values, types, locations and frames as text, as JSON and as drawings.

`values` and `printers` show contents, `location_text` and `info_address` places, `type_text` types,
`frame_line` frames; modules that end in `_json` have the same facts as data.
"""
