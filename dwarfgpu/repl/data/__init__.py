"""Commands that show values, types and memory, tell why they are so, and write them."""
