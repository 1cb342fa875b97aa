"""Types of the source program (DWARF 5, chapter 5; AMD text A.5).

`types` is what a type is, `builder` makes one of an entry, with `base_types`, `array_shape` and
`class_builder`; `computed_attributes` reads what may depend on the object.
"""
