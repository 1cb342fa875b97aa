"""dwarfgpu: an exact, explainable engine for DWARF on heterogeneous machines."""

__version__ = "0.1.0"
