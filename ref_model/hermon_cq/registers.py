"""Storage of the 32-bit registers of s_axil_cmd, by names of ``spec/hermon_cq/registers.json``."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ref_model.hermon_cq.config import Config
from ref_model.registers import Location, Register, layout

#: Registers that stay as they are while an EQ is valid, and the bits of EQ_CFG that do not.
EQ_LOCKED = ("EQ_BASE_H", "EQ_BASE_L")
EQ_VALID = 1
HCR = ("HCR_IN_H", "HCR_IN_L", "HCR_MOD", "HCR_OUT_H", "HCR_OUT_L", "HCR_TOKEN", "HCR_CMD")

_STRIDES = (32, 64, 128, 256)
_CAP1: dict[str, tuple[str, dict[Any, int]]] = {
    "cap_mode": ("CAP_MODE", {"N-1": 0, "N": 1}),
    "arm_rule": ("ARM_RULE", {"R1": 0, "R3": 1}),
    "sn_mode": ("SN_MODE", {"ignore": 0, "gate": 1}),
    "init_by_fw": ("INIT_BY_FW", {0: 0, 1: 1}),
    "mod_timer_mode": ("MOD_TIMER_MODE", {"event": 0}),
    "create_st_accept": ("CREATE_ST_ACCEPT", {"any": 0, "0": 1, "0A": 2}),
    "rsvd_mode": ("RSVD_MODE", {"ignore": 0, "refuse": 1}),
    "bad_uar_mode": ("BAD_UAR_MODE", {"ignore": 0, "event": 1, "accept": 2}),
    "armn_passed": ("ARMN_PASSED", {"fire": 0, "wait": 1}),
    "sol_breaks_mod": ("SOL_BREAKS_MOD", {0: 0, 1: 1}),
    "rsz_event": ("RSZ_EVENT", {0: 0, 1: 1}),
    "eq_full_mode": ("EQ_FULL_MODE", {"hold": 0, "drop": 1}),
    "cc_owner": ("CC_OWNER", {"lap": 0, "zero": 1}),
    "cc_cap": ("CC_CAP", {0: 0, 1: 1}),
    "dbrec_arm": ("DBREC_ARM", {0: 0, 1: 1}),
    "has_cpl_sts": ("HAS_CPL_STS", {0: 0, 1: 1}),
    "test_hooks": ("TEST_HOOKS", {0: 0, 1: 1}),
}
_SIZES = {
    ("CAP0", "num_cq_log"): "NUM_CQ_LOG",
    ("CAP0", "max_log_cq"): "MAX_LOG_CQ",
    ("CAP0", "num_eq"): "NUM_EQ",
    ("CAP0", "num_uar_log"): "NUM_UAR_LOG",
    ("CAP2", "rsvd_cqs"): "RSVD_CQS",
    ("CAP2", "clk_per_us"): "CLK_PER_US",
}


class RegisterFile:
    """What software wrote, and what the build shows in its read-only registers."""

    def __init__(self, config: Config, knobs: Mapping[str, Any]) -> None:
        """Start at the reset values of the build with parameters ``knobs``."""
        self._layout = layout("hermon_cq")
        self._config = config
        self._hooks = bool(knobs["TEST_HOOKS"])
        self.build: dict[str, tuple[int, int]] = {}  #: value and judged bits of the build registers
        self._read_build(knobs)
        self.reset()

    def _read_build(self, knobs: Mapping[str, Any]) -> None:
        words: dict[str, list[int]] = {name: [0, 0] for name in ("CAP0", "CAP1", "CAP2")}
        for (register, name), knob in _SIZES.items():
            self._put(words, register, name, int(knobs[knob]))
        for name, (knob, codes) in _CAP1.items():
            if knobs[knob] in codes:
                self._put(words, "CAP1", name, codes[knobs[knob]])
        self.build = {name: (value, mask) for name, (value, mask) in words.items()}

    def _put(self, words: dict[str, list[int]], register: str, name: str, value: int) -> None:
        entry = self._layout.block("GLOBAL").by_name[register].field(name)
        words[register][0] |= value << entry.lsb
        words[register][1] |= entry.mask

    def reset(self) -> None:
        """All registers back to their reset values."""
        self._values: dict[tuple[str, int], int] = {}
        stride = _STRIDES.index(self._config.stride)
        self._values["CFG", 0] = stride << 1

    def locate(self, address: int) -> Location | None:
        """The register at ``address`` of this build; None: nothing is there."""
        place = self._layout.locate(address)
        if place is None or (place.block.name == "EQ" and place.index >= self._config.eqs):
            return None
        return place if self._hooks or place.register.name != "DBG_INIT_IDX" else None

    def word(self, name: str, index: int = 0) -> int:
        """Stored word of a register; ``index``: number of the EQ."""
        block = "EQ" if name.startswith("EQ_") else "GLOBAL"
        return self._values.get((name, index), self._layout.block(block).by_name[name].reset)

    def get(self, name: str, field: str, index: int = 0) -> int:
        """Stored value of a field."""
        block = "EQ" if name.startswith("EQ_") else "GLOBAL"
        entry = self._layout.block(block).by_name[name].field(field)
        return (self.word(name, index) & entry.mask) >> entry.lsb

    def write(self, register: Register, index: int, data: int) -> int:
        """Store what a write of all four bytes may change; returns the word as it is now."""
        name, word = register.name, self.word(register.name, index)
        mask = 0
        done = self.get("CFG", "init_done")
        for entry in register.fields:
            if entry.access != "rw" or (entry.locked and done):
                continue
            if entry.sets_only:
                word |= data & entry.mask
            else:
                mask |= entry.mask
        if name in EQ_LOCKED and self.word("EQ_CFG", index) & EQ_VALID:
            mask = 0
        if name == "EQ_CFG" and self.word("EQ_CFG", index) & EQ_VALID:
            mask = EQ_VALID
        word = (word & ~mask) | (data & mask)
        self._values[name, index] = word
        return word

    def clear_bits(self, name: str, bits: int) -> None:
        """Hardware cleared ``bits``."""
        self._values[name, 0] = self.word(name) & ~bits

    @property
    def stride(self) -> int:
        """Bytes per entry of a ring."""
        return _STRIDES[self.get("CFG", "stride_sel")]

    @property
    def mtt_base(self) -> int:
        """Bus address of the MTT area."""
        return self.word("MTT_BASE_H") << 32 | self.word("MTT_BASE_L") & ~7

    def eq_base(self, index: int) -> int:
        """Bus address of the EQEs of EQ ``index``."""
        return self.word("EQ_BASE_H", index) << 32 | self.word("EQ_BASE_L", index) & ~31
