"""The findings of `check` in a file.

`checked_file` runs the checks, `report` shows findings, `baseline` leaves out the known ones.
"""
