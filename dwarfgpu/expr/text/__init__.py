"""Convert expressions between text, hexadecimal notation and bytes.

`assembly` assembles and disassembles, `hex_input` reads bytes as people paste them.
"""
