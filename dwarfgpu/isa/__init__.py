"""Machine instructions of AMD GPUs: decoding of code objects, as text and as operands.

`data/` contains the encodings of each generation (`tools/gen_isa.py` makes them from LLVM's
records); the modules here contain what all generations share.
"""
