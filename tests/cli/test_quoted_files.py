"""Commands that messages advise: a file name with blanks is one word of them."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

from tests.cli.command import FIXTURES, run

CODE = FIXTURES / "opencl/kernels.gfx942.O0.v5.co"


@pytest.mark.parametrize(
    ("words", "data", "advice"),
    [
        (("bt", "{}.json"), b"{}", "--state '{}.json'"),
        (("bt", "{}"), b"{}", "(--state '{}' of "),
        (("run", "{}.json"), b"{}", "--state '{}.json'"),
        (("debug", "{}.json", "--batch"), b"{}", "--state '{}.json'"),
        (("eval", "--state", "{}", "x"), CODE.read_bytes(), "(--file '{}')"),
        (("eval", "--state", "{}", "x"), gzip.compress(bytes(9), mtime=0), "decompress it"),
        (("convert", "{}", "global:0"), CODE.read_bytes(), "--file '{}' global:0"),
    ],
)
def test_names_with_blanks(
    tmp_path: Path, words: tuple[str, ...], data: bytes, advice: str
) -> None:
    folder = tmp_path / "a b"
    folder.mkdir()
    name = str(folder / "my kernel")
    for word in words:
        if "{}" in word:
            Path(word.format(name)).write_bytes(data)
    done = run(*(word.format(name) for word in words))
    assert done.status
    assert advice.format(name) in done.err
