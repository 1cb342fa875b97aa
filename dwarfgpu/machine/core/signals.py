"""Linux signals on x86 and AArch64: their numbers and GDB's names for them."""

from __future__ import annotations

from typing import Final

from dwarfgpu.base.byte_reader import Reader
from dwarfgpu.base.records import frozen

_SIGNALS: Final = """
1 SIGHUP Hangup|2 SIGINT Interrupt|3 SIGQUIT Quit|4 SIGILL Illegal instruction
5 SIGTRAP Trace/breakpoint trap|6 SIGABRT Aborted|7 SIGBUS Bus error
8 SIGFPE Arithmetic exception|9 SIGKILL Killed|10 SIGUSR1 User defined signal 1
11 SIGSEGV Segmentation fault|12 SIGUSR2 User defined signal 2|13 SIGPIPE Broken pipe
14 SIGALRM Alarm clock|15 SIGTERM Terminated|17 SIGCHLD Child status changed
18 SIGCONT Continued|19 SIGSTOP Stopped (signal)|20 SIGTSTP Stopped (user)
21 SIGTTIN Stopped (tty input)|22 SIGTTOU Stopped (tty output)|23 SIGURG Urgent I/O condition
24 SIGXCPU CPU time limit exceeded|25 SIGXFSZ File size limit exceeded
26 SIGVTALRM Virtual timer expired|27 SIGPROF Profiling timer expired
28 SIGWINCH Window size changed|29 SIGIO I/O possible|30 SIGPWR Power fail/restart
31 SIGSYS Bad system call
"""
_NAMED: Final = {
    int(number): (name, text)
    for row in _SIGNALS.strip().replace("\n", "|").split("|")
    for number, name, text in [row.split(" ", 2)]
}
_REAL_TIME: Final = range(32, 65)
_FAULTS: Final = frozenset((4, 5, 7, 8, 11))
"""Signals with an address."""
_CODES: Final = {
    4: "ILL_ILLOPC ILL_ILLOPN ILL_ILLADR ILL_ILLTRP ILL_PRVOPC ILL_PRVREG ILL_COPROC ILL_BADSTK",
    5: "TRAP_BRKPT TRAP_TRACE TRAP_BRANCH TRAP_HWBKPT TRAP_UNK TRAP_PERF",
    7: "BUS_ADRALN BUS_ADRERR BUS_OBJERR BUS_MCEERR_AR BUS_MCEERR_AO",
    8: "FPE_INTDIV FPE_INTOVF FPE_FLTDIV FPE_FLTOVF FPE_FLTUND FPE_FLTRES FPE_FLTINV FPE_FLTSUB",
    11: "SEGV_MAPERR SEGV_ACCERR SEGV_BNDERR SEGV_PKUERR SEGV_ACCADI SEGV_ADIDERR SEGV_ADIPERR "
    "SEGV_MTEAERR SEGV_MTESERR SEGV_CPERR",
}
_SENDERS: Final = {0: "SI_USER", -1: "SI_QUEUE", -6: "SI_TKILL"}
_KERNEL: Final = 0x80
_MEANINGS: Final = {
    "SEGV_MAPERR": "nothing is mapped there",
    "SEGV_ACCERR": "this kind of access is not permitted there",
    "BUS_ADRALN": "it is not aligned",
    "BUS_ADRERR": "nothing is there",
    "FPE_INTDIV": "integer division by zero",
    "ILL_ILLOPC": "no instruction",
    "ILL_ILLOPN": "no instruction",
}


def signal_name(number: int) -> str:
    """Return `SIGSEGV` or `SIG34`; `signal 99` for an unknown number."""
    if number in _NAMED:
        return _NAMED[number][0]
    return f"SIG{number}" if number in _REAL_TIME else f"signal {number}"


def signal_text(number: int) -> str:
    """Return `SIGSEGV, Segmentation fault`, as GDB names it; `99, Unknown signal`."""
    if number in _NAMED:
        return ", ".join(_NAMED[number])
    if number in _REAL_TIME:
        return f"{signal_name(number)}, Real-time event {number}"
    return f"{number}, Unknown signal"


@frozen
class SignalInfo:
    """Why a signal was sent (`siginfo_t`)."""

    number: int
    code: int
    """`si_code`: what happened, or who sent it."""
    address: int | None = None
    """At which a fault happened; None for a signal that someone sent."""
    sender: int | None = None
    """The sending process; None if there is none."""

    @property
    def code_name(self) -> str:
        """`SEGV_MAPERR`; the number of an unnamed code."""
        names = _CODES.get(self.number, "").split()
        if 0 < self.code <= len(names):
            return names[self.code - 1]
        codes = {**_SENDERS, _KERNEL: "SI_KERNEL"}
        return codes.get(self.code, f"code {self.code}")

    @property
    def text(self) -> str:
        """`at address 0x10: nothing is mapped there (SEGV_MAPERR)`."""
        if self.sender is not None:
            return f"sent by process {self.sender} ({self.code_name})"
        if self.code_name == "BUS_ADRALN" and not self.address:  # x86 knows no address of it
            return "for an access that is not aligned (BUS_ADRALN)"
        address_text = "" if self.address is None else f"at address {self.address:#x}"
        meaning = _MEANINGS.get(self.code_name)
        sentence = ": ".join(word for word in (address_text, meaning) if word)
        if not sentence and self.code == _KERNEL:
            sentence = "of the kernel, without further details"
        return f"{sentence or 'known by its code alone'} ({self.code_name})"


def signal_info(reader: Reader, address_bytes: int) -> SignalInfo:
    """Decode a `siginfo_t` of a system with addresses of 4 or 8 bytes; `Malformed` if it is cut
    short."""
    number, _, code = (reader.signed(4) for _ in range(3))
    if address_bytes == 8:
        reader.signed(4)  # the fields are aligned
    if code in _SENDERS:
        return SignalInfo(number, code, sender=reader.unsigned(4))
    # SI_KERNEL of SIGSEGV is a fault without an address from the processor.
    is_fault = number in _FAULTS and 0 < code < _KERNEL
    return SignalInfo(number, code, reader.unsigned(address_bytes) if is_fault else None)
