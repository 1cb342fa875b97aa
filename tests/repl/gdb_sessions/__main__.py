"""Record all sessions anew; see the package."""

from tests.repl.gdb_sessions import NAMES, record

for name in NAMES:
    record(name)
