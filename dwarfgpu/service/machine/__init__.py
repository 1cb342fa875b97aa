"""Stopped machines: queues, memory.

`open_machine` opens one, `topology_tables` lists its parts, `find_in_memory` and
`convert_address` look into memory.
"""
