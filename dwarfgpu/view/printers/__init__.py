"""Printers for classes whose members are not informative (docs/printers.md).

`libstdcxx`, `libcxx` and `hip` have those of one library each; `printer` is what a printer is,
`standard` lists the default ones.
"""
