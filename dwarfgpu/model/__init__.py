"""The nouns of the AMD text: values, location storage, location descriptions. No I/O.

`value`, `storage` and `location` are those of an expression, `object` the bits that are read;
`lane_integers` are integers that differ between lanes.
"""
