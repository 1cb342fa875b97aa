"""AMD GPUs in a core file: the note, the save areas of waves, queues, code objects.

`core_state_note` reads the note, `save_area` the registers of `waves`, `gpu_topology` agents and
queues, `code_objects` the loader's list; `stop_reasons` says why waves failed.
"""
