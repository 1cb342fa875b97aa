"""Commands about files, source text and symbols."""
