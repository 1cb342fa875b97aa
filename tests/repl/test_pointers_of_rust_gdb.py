"""Pointers of Rust to numbers of 8 bits, which are no text, as in GDB."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.repl.side_by_side import answers, rust_with_core

SOURCE = """\
struct Parts { raw: *const u8, signed: *const i8, shared: &'static u8, none: *const u8 }
#[inline(never)] fn stop(
    m: &mut u8, raw: *const u8, signed: *const i8, parts: &Parts, boxed: &Box<u8>, empty: &Vec<u8>,
) -> u8 { unsafe { *std::hint::black_box(std::ptr::null::<u8>()) + *m } }
fn main() {
    let (mut m, text, signed) = (4u8, b"hello\\0", 65i8);
    let parts = Parts {
        raw: text.as_ptr(), signed: &signed, shared: &text[1], none: std::ptr::null() };
    stop(&mut m, text.as_ptr(), &signed, &parts, &Box::new(66), &Vec::new());
}
"""
FRAME = "frame function a::stop"
POINTERS = ["m", "raw", "signed", "parts.raw", "parts.signed", "parts.shared", "parts.none"]


@pytest.fixture(scope="module")
def files(tool: Callable[[str], str], tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    return rust_with_core(tool, tmp_path_factory.mktemp("pointers"), SOURCE)


def test_pointers_to_bytes_have_no_text(tool: Callable[[str], str], files: list[str]) -> None:
    """GDB calls all of them `*mut`."""
    commands = [FRAME, *(f"print {text}" for text in POINTERS), "print *parts"]
    own, gdbs = (answers(debugger, files, commands) for debugger in (None, tool("gdb")))
    ends = [[said.split()[-1] for said in all_said[1:-1]] for all_said in (own, gdbs)]
    assert ends[0] == ends[1]
    assert '"' not in own[-1] and '"' not in gdbs[-1]


def test_an_empty_vector_has_no_error(files: list[str]) -> None:
    """Its pointer is the alignment, where nothing is."""
    shown = answers(None, files, [FRAME, "print *empty"])[1]
    assert "0x1" in shown and "error" not in shown
