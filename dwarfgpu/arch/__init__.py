"""Target architectures: registers, address spaces and how they map to memory.

`registry` finds one by its name, `model` says what one is; each other module is one family.
The other modules that know one of them are listed in docs/contributing.md.
"""
