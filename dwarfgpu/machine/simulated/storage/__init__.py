"""Registers and memory of running waves, and which parts of them are undefined.

`wave_registers` and the classes over it (`wave_memory`, `wave_lds`, `wave_scratch`,
`wave_generic`, `wave_buffers`) are one wave; `global_memory` is shared.
"""
