"""Executing waves: scheduling, barriers, executors and observers.

`interpreter` is the machine, which executes wave by wave; `lockstep` executes many waves at once.
`schedule` says whose turn it is, `access_conflicts` and `watchpoints` observe.
"""
