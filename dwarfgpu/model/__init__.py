"""The nouns of the AMD text: values, location storage, location descriptions. No I/O."""
