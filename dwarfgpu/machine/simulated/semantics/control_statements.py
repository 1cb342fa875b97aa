"""Statements for operations that compute nothing: `s_endpgm`, `s_barrier` and its signals,
`s_waitcnt`, `s_sendmsg`."""

from __future__ import annotations

from typing import Final

from dwarfgpu.isa.named_numbers import message_names
from dwarfgpu.machine.simulated.semantics.operand_text import Operand, scalar_write
from dwarfgpu.machine.simulated.semantics.result_statements import ResultStatements
from dwarfgpu.machine.simulated.storage.scalar_slots import M0
from dwarfgpu.machine.simulated.wave_fault import not_simulated

_WORKGROUP_BARRIER: Final = 0xFFFFFFFF


class ControlStatements(ResultStatements):
    """One operation without an expression."""

    sources: list[Operand]
    results: list[Operand]
    writes: list[str]

    @property
    def _does_nothing(self) -> bool:
        if self.operation.name == "s_icache_inv":
            return False
        return bool(self.operation.flags & {"cache", "wait"}) or self.operation.name in (
            *("s_nop", "s_clause", "s_delay_alu", "s_setprio", "s_inst_prefetch", "s_version"),
            *("s_singleuse_vdst", "s_incperflevel", "s_decperflevel", "s_ttracedata", "v_nop"),
            *("s_ttracedata_imm", "s_wakeup", "ds_nop", "v_pipeflush", "v_clrexcp"),
        )

    def _control(self) -> list[str]:
        flags, name = self.operation.flags, self.operation.name
        number = self.item.fields.get("simm16", 0)
        if name == "s_icache_inv":
            return ["w.invalidate_code()"]
        if "end" in flags:
            return ["w.is_ended = True"]
        if "trap" in flags and name == "s_trap":
            return [f"w.trap({number & 0xFF})"]
        if name == "s_barrier":
            return ["w.signal()", "w.is_waiting = w.has_to_wait()"]
        if name == "s_barrier_wait" and number == _WORKGROUP_BARRIER & 0xFFFF:
            return ["w.is_waiting = w.has_to_wait()"]
        if name in ("s_barrier_signal", "s_barrier_signal_isfirst"):
            if not self.sources or self.sources[0].unsigned(32) != hex(_WORKGROUP_BARRIER):
                raise not_simulated(f"{self.name} of a barrier that is not the workgroup's (-1)")
            if name == "s_barrier_signal":
                return ["w.signal()"]
            self.writes = ["w.scc = r0", "w.signal()"]
            return ["r0 = w.is_first_to_signal()"]
        if name in ("s_sendmsg_rtn_b32", "s_sendmsg_rtn_b64"):
            return self._message(self.sources[0])
        if name == "s_sendmsg" and number & 0xF in (1, 3):
            return ["pass"]  # an interrupt, or VGPRs that are given back
        if name == "s_set_gpr_idx_on":
            return [
                f"s[{M0}] = s[{M0}] & 0xffff0f00 | {self.sources[0].unsigned(32)} & 0xff | "
                f"{self.item.fields['src1'] & 15} << 12",
                "w.index(1)",
            ]
        if name == "s_set_gpr_idx_off":
            return ["w.index(0)"]
        if name == "s_set_gpr_idx_idx":
            return [f"s[{M0}] = s[{M0}] & 0xffffff00 | {self.sources[0].unsigned(32)} & 0xff"]
        if name == "s_set_gpr_idx_mode":
            return [
                f"s[{M0}] = s[{M0}] & 0xffff0fff | {(number & 15) << 12}",
                "w.set_mode(w.mode)",
            ]
        if name.startswith("s_movrel"):
            return self._relative_move()
        if name == "s_sethalt":
            return [f"w.halt({number & 1})"]
        raise not_simulated(self.name)

    def _relative_move(self) -> list[str]:
        """Translate s_movrels, s_movreld: M0 is added to the number of one SGPR, or parts of it to
        both."""
        source, destination = self.sources[0].register, self.results[0].register
        name, count = self.operation.name, 2 if "b64" in self.operation.name else 1
        if source is None or destination is None or {source.bank, destination.bank} != {"s"}:
            raise not_simulated(self.name)
        from_, to = str(source.first), str(destination.first)
        if name == "s_movrelsd_2_b32":
            from_ += f" + (s[{M0}] & 0x3ff)"
            to += f" + (s[{M0}] >> 16 & 0x3ff)"
        elif name.startswith("s_movrels"):
            from_ += f" + s[{M0}]"
        else:
            to += f" + s[{M0}]"
        self.writes = ["s[to:to + len(r0)] = r0"]
        return [
            f"at = w.sgpr_number({from_}, {count}, {self.target.sgprs})",
            f"to = w.sgpr_number({to}, {count}, {self.target.sgprs})",
            f"r0 = s[at:at + {count}]",
        ]

    def _message(self, operand: Operand) -> list[str]:
        """Return a message that returns something."""
        name = message_names(self.target).get(int(operand.unsigned(32), 16), "")
        value = {"RTN_GET_REALTIME": "w.clock", "RTN_GET_DOORBELL": "0"}.get(name)
        if value is None:
            raise not_simulated(f"{self.name} MSG_{name or operand.unsigned(32)}")
        register = self.results[0].register
        assert register is not None
        self.writes = scalar_write(register, register.size, "r0")
        return [f"r0 = {value}"]
