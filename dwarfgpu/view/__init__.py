"""Values, types, locations and frames as text, as JSON and as drawings.

`values` and `printers` show contents, `locations` and `location_words` places, `type_text` types,
`stack_line` frames; modules that end in `_json` have the same facts as data.
"""
