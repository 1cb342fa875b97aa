"""Object files: ELF sections, segments, symbols and what AMD GPU code objects add to them."""
