"""fixtures/asm/divergent: the source that is embedded is the file."""

from __future__ import annotations

from pathlib import Path

from tests.cli.command import run


def test_the_embedded_source_is_the_file(repository: Path) -> None:
    source = (repository / "fixtures/asm/divergent.hip").read_text("utf-8").splitlines()
    binary = repository / "fixtures/asm/divergent.gfx942.v5.co"
    done = run("debug", binary, "--pc", 0x1500, "--force-pc", "--batch", "-ex", "list 1,99")
    assert done.lines == [f"{number}\t{line}" for number, line in enumerate(source, 1)]
