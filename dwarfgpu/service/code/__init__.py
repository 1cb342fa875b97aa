"""Machine instructions with their source lines.

`disassembly` chooses the disassembler: `dwarfgpu.isa` for AMD GPUs, `host_code` for the others.

`code_listing` and `disassembly_listing` show instructions.
"""
