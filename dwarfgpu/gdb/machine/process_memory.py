"""What a live process has mapped, from the kernel's list: only inside GDB's own Python."""

from __future__ import annotations

import gdb


def is_unmapped(inferior: gdb.Inferior, address: int, size_bytes: int) -> bool:
    """Return whether no byte of a range is in a mapping of a process that GDB debugs itself; False
    also if that is unknown, as of a remote process and of a core file, and where the first thread
    has ended before others: the list is empty then.

    Source: proc_pid_maps(5).
    """
    connection = inferior.connection
    if connection is None or connection.type != "native":
        return False
    end, is_known = address + size_bytes, False
    try:
        with open(f"/proc/{inferior.pid}/maps", encoding="utf-8", errors="replace") as maps:
            for line in maps:
                is_known = True
                first, last = line.split(" ", 1)[0].split("-")
                if int(first, 16) < end and address < int(last, 16):
                    return False
    except OSError:
        return False
    return is_known
