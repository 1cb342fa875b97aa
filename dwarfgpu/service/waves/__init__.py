"""The waves of a stopped machine: where they are, why they stopped, which accesses failed.

`wave_frames` answers about one wave, `wave_rows` about each of many, `wave_table` lists them.
"""
