"""One stopped machine with its code objects: frames, variables, lanes."""
