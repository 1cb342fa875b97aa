"""Stopped machines: waves, queues, memory.

`open_machine` opens one, `wave_table` and `topology_tables` list its parts, `find_in_memory` and
`convert_address` look into memory.
"""
