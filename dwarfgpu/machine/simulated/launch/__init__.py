"""A dispatch before its first instruction: arguments, packets, and the waves that it starts."""
