"""`set dwarfgpu max-… N`: the limits of the command line's options inside GDB."""

from __future__ import annotations

from pathlib import Path

from dwarfgpu.base.limits import FileLimits, Limits
from dwarfgpu.options.limit_options import EVALUATION_LIMITS, FILE_LIMITS
from tests.gdb.debugger import Debugger

STOPPED = ("break leaf", "run")


def test_a_limit_holds_and_can_be_raised_again(debugger: Debugger, demo: Path) -> None:
    steps, dies = ("set dwarfgpu max-steps", "set dwarfgpu max-dies")
    say = "dwarfgpu print n"
    code = "\n".join(f"print(said({item!r}))" for item in (f"{steps} 0", say, f"{steps} 40", say))
    assert debugger.python(code, *STOPPED, file=demo).splitlines() == [
        "",
        "error: LimitExceeded: more than 0 operations performed (--max-steps)",
        "",
        "n = 42",
    ]
    out, err = debugger.run(*STOPPED, f"{dies} 3", say, f"{dies} 4000000", say, file=demo)
    assert "(--max-dies)" in err
    assert "n = 42" in out


def test_what_vector_registers_hold_is_a_setting(debugger: Debugger) -> None:
    """`dwarfgpu.session.session.Session.quirks` of every session in GDB."""
    says = "What a vector register holds where upstream clang does not say it is"
    code = "from dwarfgpu.gdb.limit_settings import quirks; print(*quirks())"
    setting = "set dwarfgpu vgpr-holds"
    shown, _ = debugger.run(
        *("show dwarfgpu vgpr-holds", f"python {code}", f"{setting} value", f"python {code}"),
        *("show dwarfgpu", f"{setting} address", f"python {code}"),
    )
    assert f"{says} unknown." in shown and f"vgpr-holds:  {says} value." in shown
    assert [line for line in shown.splitlines() if line.startswith("vgpr-holds-")] == [
        "vgpr-holds-value",
        "vgpr-holds-address",
    ]


def test_each_limit_is_a_setting_with_its_default(debugger: Debugger) -> None:
    shown, _ = debugger.run("show dwarfgpu")
    for options, limits in ((EVALUATION_LIMITS, Limits()), (FILE_LIMITS, FileLimits())):
        for option, (name, bounds) in options.items():
            assert f"{option[2:]}:  At most {getattr(limits, name)}: {bounds}." in shown
