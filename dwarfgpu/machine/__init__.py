"""Targets: the machines that dwarfgpu reads and writes.

`target` is the interface that the rest of the engine knows. A machine is in a core file (`core`),
in a state file (`state`), or simulated; `topology` has the agents, queues and waves of
amd-dbgapi.
"""
