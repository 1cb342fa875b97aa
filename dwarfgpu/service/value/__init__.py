"""Values of variables and expressions: what they are and where."""
