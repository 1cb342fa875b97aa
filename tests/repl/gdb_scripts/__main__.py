"""Record what GDB says to all scripts; see the package."""

from tests.repl.gdb_scripts import GDB, HERE, NAMES, transcript

for each in NAMES:
    (HERE / f"{each}.txt").write_text(transcript(GDB, each), "utf-8")
