"""Reading and writing the bits of a location description (AMD text A.2.5.3)."""
