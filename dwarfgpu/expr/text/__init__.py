"""Convert expressions between text, hexadecimal notation and bytes."""
