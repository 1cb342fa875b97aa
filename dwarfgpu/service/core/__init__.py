"""Core files: report on existing ones, and write new ones.

`core_summary` and `core_report` describe one, `core_of_state` writes one.
"""
