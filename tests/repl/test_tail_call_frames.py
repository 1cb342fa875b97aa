"""What is shown of functions that have jumped to their callees."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.repl.side_by_side import answers, build, with_core

SOURCE = """\
struct Big { long a[5]; };
int kept = 4; int *volatile nowhere;
__attribute__((noinline)) int leaf(int n) { *nowhere = n; return kept; }
__attribute__((noinline)) int rec(struct Big big, int d) {
  static int fixed = 5;
  volatile int loc[4] = {d, d * 2, d * 3, 4};
  kept += loc[1] + fixed;
  if (d == 0) return leaf(loc[0] + kept);
  big.a[1] += kept;
  return rec(big, d - 1) + loc[1];
}
int main(int c, char **v) { struct Big big = {{c, 2, 3, 4, 5}}; return rec(big, 1) + kept; }
"""


@pytest.mark.parametrize("compiler", ["gcc", "clang-19"])
def test_the_frame_was_given_back(
    tmp_path: Path, tool: Callable[[str], str], compiler: str
) -> None:
    """Its memory belongs to other functions: what was in it has no value and no address."""
    build(tmp_path, {"a.c": SOURCE}, [[tool(compiler), "-g", "-O2", "a.c", "-o", "a"]])
    files = with_core(tool, tmp_path)
    commands = [
        "frame function rec", "info frame", "p loc", "p &loc", "p big.a[2]", "p fixed",
        "info locals", "explain loc", "up", "p loc",
    ]  # fmt: skip
    shown = answers(None, files, commands)
    texts = [text.partition("\n")[2] for text in shown]
    assert "[tail call]\n" in texts[0] and "tail call frame" in texts[1]
    why = "loc is optimized out: rec gave its frame back before it jumped to its callee\n"
    assert texts[2].startswith("$1 = <optimized out>\n")
    assert texts[3] == "Can't take address of \"loc\" which isn't an lvalue.\n"
    assert "= <optimized out>\n" in texts[4] and texts[5].endswith("= 5\n")
    assert "\nloc = <optimized out>\n" in texts[6] and texts[7].endswith(f"note: {why}")
    assert "[tail call]" not in texts[8] and texts[9].endswith("= {1, 2, 3, 4}\n")
