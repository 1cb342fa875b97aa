"""Values and locations of variables and expressions."""
