"""Set up a dispatch before its first instruction: arguments, packets and waves.

`dispatch` places everything in memory (`kernarg`, `dispatch_packet`), `initial_registers` has what
the ABI promises, `machine_of_dispatch` and `machine_of_state` make machines that run.
"""
