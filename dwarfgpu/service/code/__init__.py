"""Machine instructions with their source lines.

`disassembly` chooses the disassembler: `dwarfgpu.isa` for AMD GPUs, `host_code` for the others.
The disassembler of another machine, a GPU of another vendor too, is a module here beside
`host_code`; another AMD GPU is a row of `dwarfgpu.arch.processors` (see `dwarfgpu.isa.tables`).

`code_listing` and `disassembly_listing` show instructions.
"""
