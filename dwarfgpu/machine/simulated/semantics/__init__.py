"""Translate machine instructions to Python code that executes them.

`statements` makes the code from what `isa/data/operations` says; `scalar_functions`,
`lane_functions`, `matrices` and `exact_floats` are what it calls.
"""
