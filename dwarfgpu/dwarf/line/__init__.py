"""Line number information (DWARF 5, 6.2)."""
