"""Record what GDB says to all scripts; see the package."""

from tests.repl.gdb_scripts import GDB, HERE, NAMES, transcript

for name in NAMES:
    (HERE / f"{name}.txt").write_text(transcript(GDB, name), "utf-8")
