"""Target architectures: registers, address spaces and how they map to memory."""
