"""The meaning of encodings that differ between compilers and versions."""
