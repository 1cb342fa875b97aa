"""The auxiliary vector of a process, with GDB's words."""

from __future__ import annotations

from typing import Final

_ENTRIES: Final = """
0 AT_NULL x End of vector
1 AT_IGNORE x Entry should be ignored
2 AT_EXECFD d File descriptor of program
3 AT_PHDR x Program headers for program
4 AT_PHENT d Size of program header entry
5 AT_PHNUM d Number of program headers
6 AT_PAGESZ d System page size
7 AT_BASE x Base address of interpreter
8 AT_FLAGS x Flags
9 AT_ENTRY x Entry point of program
10 AT_NOTELF d Program is not ELF
11 AT_UID d Real user ID
12 AT_EUID d Effective user ID
13 AT_GID d Real group ID
14 AT_EGID d Effective group ID
15 AT_PLATFORM s String identifying platform
16 AT_HWCAP x Machine-dependent CPU capability hints
17 AT_CLKTCK d Frequency of times()
18 AT_FPUCW x Used FPU control word
19 AT_DCACHEBSIZE d Data cache block size
20 AT_ICACHEBSIZE d Instruction cache block size
21 AT_UCACHEBSIZE d Unified cache block size
22 AT_IGNOREPPC d Entry should be ignored
23 AT_SECURE d Boolean, was exec setuid-like?
24 AT_BASE_PLATFORM s String identifying base platform
25 AT_RANDOM x Address of 16 random bytes
26 AT_HWCAP2 x Extension of AT_HWCAP
31 AT_EXECFN s File name of executable
32 AT_SYSINFO x Special system info/entry points
33 AT_SYSINFO_EHDR x System-supplied DSO's ELF header
51 AT_MINSIGSTKSZ x Minimum stack size for signal delivery
"""
AUXILIARY_ENTRIES: Final = {
    int(number): (name, form, about)
    for line in _ENTRIES.strip().splitlines()
    for number, name, form, about in [line.split(" ", 3)]
}
"""What entries of the auxiliary vector are called, how their values are written, and what they
are (Linux, `auxvec.h`)."""
