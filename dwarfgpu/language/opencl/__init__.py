"""What OpenCL C has otherwise than C: the `types` of vectors, their `operators`, and the
`conversion_functions`."""
