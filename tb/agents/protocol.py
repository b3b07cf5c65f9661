"""Results of the HDL protocol checkers (tb/hdl) as ProtocolViolation events.

Each checker has an ``alive`` flag set at time 0, a 16-bit counter of edges with violations and a 32-bit mask
of what was wrong at the last of them. The DUT top gathers them in three vectors, ``protocol_alive``,
``protocol_count`` and ``protocol_code``, one slice per checker in the order of the configuration.
Rules of the bench's own side of a channel carry the rule ``BENCH``.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum
from typing import Any

from cocotb.triggers import Timer

from ref_model.errors import UserError
from ref_model.events import ProtocolViolation
from tb.agents.base import Monitor, config_of
from tb.agents.pins import now_ps, word

BENCH = "BENCH"


class Breach(Enum):
    """Kinds of broken rules; which requirement each one breaks is the target's affair."""

    STABLE = "what waits for READY, stays"
    CROSSING = "a burst stays within 4 KB"
    SHAPE = "form and length of a burst"
    STROBE = "strobes within the addresses"
    KEEP = "TKEEP of a stream"
    IN_RESET = "silent in reset"
    ANSWER = "answers follow requests"
    RESET_VALUE = "every bit has a value"
    FRAMING = "first and last beat of a frame are marked"
    CREDIT = "what is spent was given"
    EXCLUSIVE = "one pulse or the other"
    IDS = "an id is not used again before its answer"
    BENCH = "the bench's own side"


STABLE, CROSSING, SHAPE, STROBE, KEEP, IN_RESET, ANSWER, RESET_VALUE, FRAMING = (
    Breach.STABLE,
    Breach.CROSSING,
    Breach.SHAPE,
    Breach.STROBE,
    Breach.KEEP,
    Breach.IN_RESET,
    Breach.ANSWER,
    Breach.RESET_VALUE,
    Breach.FRAMING,
)


class CheckerKind(Enum):
    """The HDL checkers; the value is the table bit -> (breach, text)."""

    AXI4 = {
        0: (STABLE, "AWVALID fell before AWREADY"),
        1: (STABLE, "an AW payload signal changed while AWVALID waited for AWREADY"),
        2: (STABLE, "WVALID fell before WREADY"),
        3: (STABLE, "a W payload signal changed while WVALID waited for WREADY"),
        4: (STABLE, "ARVALID fell before ARREADY"),
        5: (STABLE, "an AR payload signal changed while ARVALID waited for ARREADY"),
        6: (CROSSING, "a write burst crosses a 4 KB boundary"),
        7: (CROSSING, "a read burst crosses a 4 KB boundary"),
        8: (SHAPE, "AWBURST is not INCR"),
        9: (SHAPE, "ARBURST is not INCR"),
        10: (SHAPE, "AWSIZE is wider than the data bus"),
        11: (SHAPE, "ARSIZE is wider than the data bus"),
        12: (SHAPE, "WLAST before beat AWLEN+1"),
        13: (SHAPE, "no WLAST on beat AWLEN+1"),
        14: (STROBE, "WSTRB set on a lane outside the addresses of the beat"),
        15: (SHAPE, "a write burst of another length than its AWLEN+1 went ahead of its address"),
        16: (IN_RESET, "AWVALID, WVALID or ARVALID is 1 in reset"),
        17: (STABLE, "AWVALID, WVALID, ARVALID, BREADY or RREADY is X or Z"),
        18: (STABLE, "a control signal is X or Z while its VALID is 1"),
        19: (Breach.BENCH, "BVALID without a complete write burst"),
        20: (Breach.BENCH, "RVALID without an outstanding read burst"),
        21: (Breach.BENCH, "RLAST not on beat ARLEN+1"),
        22: (Breach.BENCH, "more bursts outstanding than the checker can follow"),
    }
    AXI4LITE = {
        0: (STABLE, "BVALID fell before BREADY"),
        1: (STABLE, "BRESP changed while BVALID waited for BREADY"),
        2: (STABLE, "RVALID fell before RREADY"),
        3: (STABLE, "RDATA or RRESP changed while RVALID waited for RREADY"),
        4: (ANSWER, "BVALID without an accepted address and data"),
        5: (ANSWER, "RVALID without an accepted read address"),
        6: (IN_RESET, "BVALID or RVALID is 1 in reset"),
        7: (STABLE, "BVALID, RVALID, AWREADY, WREADY or ARREADY is X or Z"),
        8: (STABLE, "BRESP or RRESP is X or Z while its VALID is 1"),
        9: (Breach.BENCH, "AWVALID, WVALID or ARVALID fell, or its payload changed, before READY"),
        10: (RESET_VALUE, "RDATA has a bit without a value (X or Z) while RVALID is 1"),
    }
    AXIS = {
        0: (STABLE, "TVALID fell before TREADY"),
        1: (STABLE, "a payload signal changed while TVALID waited for TREADY"),
        2: (KEEP, "TKEEP is not contiguous from lane 0"),
        3: (KEEP, "TKEEP is not full on a beat without TLAST"),
        4: (KEEP, "TKEEP is zero"),
        5: (IN_RESET, "TVALID is 1 in reset"),
        6: (STABLE, "TVALID is X or Z"),
        7: (STABLE, "TLAST or TKEEP is X or Z while TVALID is 1"),
    }
    PIN = {
        0: (IN_RESET, "the pin is 1 in reset"),
        1: (IN_RESET, "the pin is X or Z outside reset"),
    }
    FRAMED = {
        0: (STABLE, "VALID fell before READY"),
        1: (STABLE, "a payload signal changed while VALID waited for READY"),
        2: (FRAMING, "a frame without a first beat"),
        3: (FRAMING, "a first beat inside a frame"),
        4: (KEEP, "KEEP is not contiguous from the top"),
        5: (KEEP, "a beat that is not the last one is not full"),
        6: (KEEP, "KEEP is zero"),
        7: (IN_RESET, "VALID is 1 in reset"),
        8: (STABLE, "VALID is X or Z"),
        9: (STABLE, "framing, tail or a word beside the frame is X or Z while VALID is 1"),
    }
    CREDIT = {0: (Breach.CREDIT, "a beat without a credit")}
    EXCLUSIVE = {0: (Breach.EXCLUSIVE, "both pulses at once")}
    AXI4_LIMITS = {
        0: (SHAPE, "AWLEN above the limit of the port"),
        1: (SHAPE, "ARLEN above the limit of the port"),
        2: (SHAPE, "AWSIZE the port does not have"),
        3: (SHAPE, "ARSIZE the port does not have"),
        4: (Breach.IDS, "AWID used again before its answer"),
        5: (Breach.IDS, "ARID used again before its answer"),
    }


@dataclass(frozen=True)
class Checker:
    """One checker: name of the interface, kind, and the rules of breaches where it has its own."""

    name: str
    kind: CheckerKind
    rules: Mapping[Breach, str] = field(default_factory=dict)


@dataclass
class ProtocolConfig:
    """The vectors of the DUT top and its checkers, slice 0 first; ``rules``: the rule each breach breaks."""

    alive: Any
    count: Any
    code: Any
    checkers: tuple[Checker, ...]
    rules: Mapping[Breach, str]


class ProtocolMonitor(Monitor):
    """Publishes violations in the time step in which a checker reports them."""

    def build_phase(self) -> None:
        """Take the :class:`ProtocolConfig` under "config"."""
        super().build_phase()
        self.config = config_of(self, ProtocolConfig)
        self.checkers: list[str] = []

    def start_of_simulation_phase(self) -> None:
        """Collect the checkers that are there; UserError when the vectors do not fit the list."""
        expected = len(self.config.checkers)
        if len(self.config.alive) != expected:
            raise UserError(
                f"protocol checkers: {len(self.config.alive)} in the design, {expected} configured"
            )

    async def run_phase(self) -> None:
        """Check the list at time 0, then wait for violations."""
        await self.registration()
        counts = self._counts()
        while True:
            await self.config.count.value_change
            new = self._counts()
            codes = word(self.config.code)
            for index, checker in enumerate(self.config.checkers):
                if new[index] != counts[index]:
                    self._report(checker, codes >> 32 * index & 0xFFFF_FFFF)
            counts = new

    async def registration(self) -> None:
        """Collect the checkers that are alive once time 0 has passed; UserError when one is missing."""
        await Timer(1, "step")  # initial blocks may run after the start of the bench, in the same time step
        alive = word(self.config.alive)
        self.checkers = [c.name for i, c in enumerate(self.config.checkers) if alive >> i & 1]
        missing = [c.name for c in self.config.checkers if c.name not in self.checkers]
        if missing:
            raise UserError(f"protocol checkers: {', '.join(missing)} did not register at time 0")

    def _counts(self) -> list[int]:
        value = word(self.config.count)
        return [value >> 16 * i & 0xFFFF for i in range(len(self.config.checkers))]

    def _report(self, checker: Checker, code: int) -> None:
        rules = {**self.config.rules, Breach.BENCH: BENCH, **checker.rules}
        for bit, (breach, text) in checker.kind.value.items():
            if code >> bit & 1:
                self.publish(ProtocolViolation(now_ps(), rules[breach], checker.name, text))
