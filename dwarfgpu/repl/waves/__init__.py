"""Commands about waves, threads, lanes and the machine above them.

`thread_commands`, `lane_commands` (one lane), `lanes_commands` (all of them), `apply_commands`
("thread apply", "frame apply"), `topology_commands` (agents, queues, dispatches).
"""
