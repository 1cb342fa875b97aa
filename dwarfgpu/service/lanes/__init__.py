"""Answers for each lane of waves, and the selection of lanes.

`lane_choice` reads which, `lane_questions` asks for each, `wave_lanes` shows a table or a grid.
"""
