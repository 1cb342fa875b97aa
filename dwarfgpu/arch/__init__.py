"""Target architectures: registers, address spaces and how they map to memory.

`registry` finds one by its name, `model` says what one is, `abi` what files of its machine need;
`processors` lists AMD's. Each other module is one family, or a part of it. docs/contributing.md
shows how to add one.
"""
