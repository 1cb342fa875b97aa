"""Machine instructions of AMD GPUs: what the bits of code objects mean, as text and as operands.

`data/` has the encodings of each generation (`tools/gen_isa.py` makes them from LLVM's records);
the modules here have what is common to all of them.
"""
