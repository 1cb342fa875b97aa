"""Meanings of encodings that differ between compilers and versions.

`dialect` names them; `rocm_2020`, `upstream_clang` and `dwarf6` have what differs.
"""
