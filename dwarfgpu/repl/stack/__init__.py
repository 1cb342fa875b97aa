"""Commands about frames, and about what the frame in focus has."""
