"""Kernels that run on the simulated machine, and stopped waves that resume there.

`run_kernel` runs a kernel and `run_report` says how it ended; `resumed_waves` resumes the waves of
a state (`resumable_state`) or a core file (`resumable_core`). `run_breakpoints` stop a run without
a prompt, `instruction_trace` lists its instructions; `state_of_run`, `core_of_run` and
`save_resumed` save it.
"""
