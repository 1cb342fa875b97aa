"""The simulated machine, which executes compiled kernels.

`launch` places a kernel and its arguments and sets up its waves, `semantics` makes Python of each
machine instruction, `execution` gives the waves their turns, `storage` has their registers and
memories, and `debugger` shows and changes all of it.
"""
