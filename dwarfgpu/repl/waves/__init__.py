"""Commands about waves, threads, lanes and the machine above them.

`thread_commands`, `lane_commands` ("lane", "info lanes"), `lane_values_commands` ("lanes": an
expression in every lane), `apply_commands` ("thread apply", "frame apply"), `topology_commands`
(agents, queues, dispatches).
"""
