"""Reading and writing the bits of a location description (AMD text A.2.5.3).

`location_access` has the protocol and what all implementations share, `one_lane` and `many_lanes`
implement it, `coalesced_reads` fetches, `read_string` reads up to a NUL, `write_location` writes,
`compare_single_locations` says whether the single locations of a location description agree.
"""
