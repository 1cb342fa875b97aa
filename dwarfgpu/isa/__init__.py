"""Machine instructions of AMD GPUs: decoding of code objects, as text and as operands.

`data/` contains the encodings of each generation (`tools/gen_isa.py` makes them from LLVM's
records); the modules here contain what all generations share: `tables` reads the encodings,
`decode` makes an `instruction` of bytes, with its `operands` and `modifiers` as text, and
`operation` has what instructions do. A disassembler for another machine is a module in
`dwarfgpu/service/code/`, as `host_code.py` is for CPUs; `disassembly.py` there chooses one.
"""
