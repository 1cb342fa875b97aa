"""Arrays of Rust in one another, each of a type of its own, however many they are."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from tests.repl.side_by_side import answers, build

LENGTHS = (31, 32, 33, 34, 40)


def _array(length: int) -> str:
    kind, value = "[" * length + "i32" + "; 1]" * length, "[" * length + "7" + "]" * length
    return f"#[no_mangle] pub static mut A{length}: {kind} = {value};"


USED = " + ".join(f"A{length}{'[0]' * length}" for length in LENGTHS)
SOURCE = "\n".join(
    [*map(_array, LENGTHS), f"fn main() {{ unsafe {{ std::process::exit({USED}) }} }}"]
)


def test_many_arrays(tool: Callable[[str], str], tmp_path: Path) -> None:
    build(tmp_path, {"a.rs": SOURCE}, [[tool("rustc"), "-g", "a.rs"]])
    for length in LENGTHS:
        words = ("whatis ", "print &", "print sizeof ", "output ")
        commands = [f"{word}a::A{length}" for word in words]
        kind, address, *rest = answers(None, [str(tmp_path / "a")], commands)
        assert f"type = i32 {'[1]' * length}\n" in kind
        assert f"$1 = (i32 (*){'[1]' * length}) 0x" in address
        shown = "{" * 21 + "..." + "}" * 21
        answered = [text.rstrip().rpartition("\n")[2] for text in rest]
        assert answered == ["$2 = 4", shown]
