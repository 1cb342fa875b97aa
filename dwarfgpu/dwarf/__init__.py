"""Read debugging information: units, entries, and the program that they describe.

Modules beside the folders read units (`debug_info`, `unit`, `unit_header`), entries (`die`,
`forms`, `abbrev`, `unit_walk`) and lists of locations and ranges (`location_lists`). `code_object`
is a file as loaded.
"""
