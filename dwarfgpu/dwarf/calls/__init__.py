"""Call sites, entry values and tail calls (DWARF 5, 3.4; AMD text A.3.4).

`call_sites` reads the entries, `tail_calls` finds functions whose frames are gone, `reentry` says
which may have been entered again, and `gpu_callers` whether a wave of an AMD GPU still has its
return address.
"""
