"""Names of functions and types: as compilers, GDB and the binutils spell them, and demangled.

`demangle` answers for symbols (the grammar is `itanium_grammar`), `type_names` for types,
`qualified` for scopes.
"""
