"""Facts about bits, numbers and text; nothing here knows DWARF."""
