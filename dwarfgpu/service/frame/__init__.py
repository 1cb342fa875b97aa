"""Call frames, their registers, and the frame in focus."""
