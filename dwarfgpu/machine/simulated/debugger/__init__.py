"""A running machine as the debugger reads and changes it.

`simulated_target` is the `Target` of one state, on what `simulated_waves` reads and writes;
`simulated_process` that of several with the threads of CPUs; `watched_objects` says which bytes a
watchpoint watches.
"""
