"""Core files: what they report, and those that dwarfgpu writes."""
