"""Facts about bits, numbers and text, independent of DWARF.

Bytes and numbers (`bits`, `byte_reader`, `leb128`, `float_format`, `base_type`, `npy`), limits of
hostile input (`limits`), text for people (`printable`, `suggest`, `regexp`), files (`writing`,
`readable_files`, `index_cache`), strict JSON (`json_reader`).
"""
