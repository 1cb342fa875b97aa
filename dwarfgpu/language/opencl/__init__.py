"""What OpenCL C has otherwise than C: the `types` of vectors, and their `operators`."""
