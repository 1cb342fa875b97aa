"""The simulated machine: a dispatch, its registers and memory before it starts, and its execution.

`dispatch` places a kernel and its arguments, `initial_registers` sets up its waves, `running`
executes them, one compiled instruction of `program` at a time.
"""
