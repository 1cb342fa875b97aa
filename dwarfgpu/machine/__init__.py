"""Targets: the machines that dwarfgpu reads and writes."""
