"""Answers for each lane of waves, and the selection of lanes."""
