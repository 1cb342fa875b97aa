"""Executing waves: scheduling, barriers, executors and observers."""
