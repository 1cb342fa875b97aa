"""Scripts say in `dwarfgpu debug` what they say in GDB, and end with its exit status."""

from __future__ import annotations

import shutil

import pytest

from tests.repl.gdb_scripts import GDB, NAMES, recorded, transcript, transcript_of_ours
from tests.repl.test_gdb_sessions import gdb_version


@pytest.mark.parametrize("name", NAMES)
def test_a_script_prints_the_same_as_in_gdb(name: str) -> None:
    assert transcript_of_ours(name) == recorded(name)


@pytest.mark.skipif(shutil.which("gdb") is None, reason="gdb is not installed")
@pytest.mark.parametrize("name", NAMES)
def test_the_record_is_the_output_of_gdb(name: str) -> None:
    if not gdb_version().startswith("13."):
        pytest.skip("the records are of GDB 13")
    assert transcript(GDB, name) == recorded(name)
