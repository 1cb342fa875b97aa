"""DWARF expressions (AMD text A.2.5).

`operation` declares operations, which are in `ops`; `decode` reads bytes, `bind` makes `steps` of
them, `evaluate` executes these in a `context`, and `evaluate_lanes` for many lanes at once. `text`
is assembler and disassembler, `dialect` what encodings mean, `static_check` finds mistakes.
"""
