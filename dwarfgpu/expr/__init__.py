"""DWARF expressions (AMD text A.2.5).

`operation` declares operations, which are in `ops`; `decode` reads bytes, `bind` prepares them,
`evaluate` executes them in a `context`, and `evaluate_lanes` for many lanes at once. `text` is
assembler and disassembler, `dialect` what encodings mean, `static_check` finds mistakes.
"""
