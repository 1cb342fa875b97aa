"""Stopped and running machines: waves, queues, memory, kernels that run.

`open_machine` opens one, `wave_table` and `topology_tables` list its parts, `run_kernel` runs a
kernel and `run_report` says how it ended, `find_in_memory` and `convert_address` look into memory.
"""
