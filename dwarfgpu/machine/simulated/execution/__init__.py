"""Waves that execute: turns, barriers, executors, and observers of what they do."""
