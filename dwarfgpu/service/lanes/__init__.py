"""Answers for each lane of waves, and which lanes a question is about."""
