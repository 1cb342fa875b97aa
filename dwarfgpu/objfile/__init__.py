"""Object files: ELF sections, segments, symbols and what GPU code objects add to them.

`elf` reads a file, `relocate` its sections, `section_buffer` a large one by ranges; `container` and
`collection` find the one that is meant in fat binaries and archives, `separate_debug` its debug
file. `metadata`, `kernel_descriptor` and `kernel_symbols` are of AMD GPUs, `cuda_code` and others
that begin so of NVIDIA's, `triton_cache` of Triton.
"""
