"""Facts about bits, numbers and text, independent of DWARF."""
