"""Core files: report on existing ones, and write new ones.

`core_summary` and `core_report` describe one, `resumable_core` runs its waves, `core_of_run` and
`core_of_state` write one.
"""
