"""Two software RCLINKs on lossy links, each watched by a model of its own."""

from __future__ import annotations

import heapq
import itertools
import random
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from ref_model.events import Event, FrameIn, FrameOut, RegRead, RegWrite, Reset, SideBand
from ref_model.link import LinkFaults, LossyLink
from ref_model.rclink import RclinkModel, ports
from ref_model.rclink.endpoint import Endpoint, Receiver, Regulator, Sender
from ref_model.rules import Finding
from ref_model.streams import stream
from ref_model.wire.rclink import Format

CLK = 1000
US = 1_000_000
Parts = tuple[type[Sender], type[Receiver], type[Regulator]]
GOOD: Parts = (Sender, Receiver, Regulator)

#: Small build: quick to set up; MAC credit that never runs out unless a test wants it to.
KNOBS = {
    "QP_NUM": 16,
    "TYPE1_OST_N": 32,
    "MAC_TX_CRD_INIT": 65535,
    "LIVENESS_CLKS": 30_000,
    "CC_SWEEP_CLKS": 32,
    "ICRC_CHECK": "on",
    "X_FIELDS": "judge",
}

FORMAT_FIELD = {
    Format.STANDARD: "standard_en",
    Format.GEN1: "afh_gen1_en",
    Format.GEN2: "afh_gen2_en",
    Format.LITE: "afh_lite_en",
}
MACS = (0x020000000011, 0x020000000022)
TCS = (0x04, 0x08, 0x0C, 0x10)
ACK_TC, TYPE2_TC = 0x30, 0x54


@dataclass
class Setup:
    """How both sides are programmed."""

    format: Format = Format.STANDARD
    vlan: bool = False
    gen1_tc: bool = True
    icrc: bool = True
    qps: tuple[int, ...] = (1, 2, 3)
    psn: int = 0
    rate: int = 0x3FFFFF
    timeout_us: int = 60
    retry_limit: int = 15
    bank_rr: bool = False
    ack_time: bool = False
    window: int = 0
    fields: dict[tuple[str, str], int] = field(default_factory=dict)


class Side:
    """One device: endpoint, model, and what its pins show."""

    def __init__(self, name: str, knobs: Mapping[str, Any], parts: Parts = GOOD) -> None:
        self.name = name
        self.endpoint = Endpoint(knobs, CLK, parts)
        self.model = RclinkModel(knobs, CLK)
        self.log: list[Event] = []
        self.pending: list[tuple[int, int, Event]] = []
        self._count = itertools.count()
        self.sent: dict[int, list[bytes]] = {}
        self.used = 0  #: tokens the client has used up
        self.free = {ports.TX_S: 0, ports.MAC_RX: 0}  #: when the last frame of a port has ended

    def slot(self, port: str, now: int, beats: int) -> tuple[int, int]:
        """First and last beat of a frame at ``port`` that is ready at ``now``."""
        begin = max(now, self.free[port])
        self.free[port] = begin + beats * CLK
        return begin, begin + (beats - 1) * CLK

    def observe(self, event: Event) -> None:
        """Hand an event to the model once no earlier one can come."""
        time = event.settled if isinstance(event, RegRead) else event.begin
        heapq.heappush(self.pending, (time, next(self._count), event))

    def release(self, now: int) -> None:
        """Events before ``now`` are final."""
        while self.pending and self.pending[0][0] <= now:
            event = heapq.heappop(self.pending)[2]
            if isinstance(event, SideBand) and event.port == ports.TX_S_CRD:
                self.used -= event.values[0] & 1
            self.log.append(event)
            self.model.observe(event)

    @property
    def findings(self) -> list[Finding]:
        """What the model found."""
        return self.model.rules.findings


class Pair:
    """Two sides joined by two links; times in ps."""

    def __init__(
        self,
        setup: Setup | None = None,
        faults: LinkFaults | None = None,
        seed: int = 1,
        knobs: Mapping[str, Any] | None = None,
        parts: Parts = GOOD,
    ) -> None:
        """``parts``: of side 0, which may misbehave."""
        self.setup = setup or Setup()
        self.knobs = {**KNOBS, **(knobs or {})}
        self.sides = (Side("a", self.knobs, parts), Side("b", self.knobs))
        self.rng = stream(seed, "pair")
        faults = faults or LinkFaults(delay_ps=500_000)
        self.links = tuple(LossyLink(faults, random.Random(seed * 2 + n)) for n in (0, 1))
        self.now = 0
        self._todo: list[tuple[int, int, Callable[[], None]]] = []
        self._order = itertools.count()
        for number in (0, 1):
            self._bring_up(number)
        self.settle(100)

    # -- programming ------------------------------------------------------------------------------

    def at(self, time: int, action: Callable[[], None]) -> None:
        """Do something at ``time``."""
        heapq.heappush(self._todo, (max(time, self.now), next(self._order), action))

    def write(self, number: int, name: str, value: int) -> None:
        """Write a register of side ``number`` now."""
        side = self.sides[number]
        addr = side.endpoint.values.address(name)
        self.now += CLK
        self.step()
        side.observe(RegWrite(self.now, self.now, addr, value, 0xFF))
        side.release(self.now)
        side.endpoint.now = max(side.endpoint.now, self.now)
        side.endpoint.write(addr, value)
        self.at(self.now + CLK, lambda: None)

    def set(self, number: int, register: str, **fields: int) -> None:
        """Change fields of a register of side ``number``."""
        values = self.sides[number].endpoint.values
        word = values.word(register, values.selected or 0)
        for name, value in fields.items():
            entry = values.entry(register, name)
            word = (word & ~entry.mask) | value << entry.lsb
        self.write(number, register, word)

    def read(self, number: int, name: str, value: int) -> None:
        """A register read of side ``number`` that gives ``value``."""
        side = self.sides[number]
        self.now += CLK
        self.step()
        side.observe(RegRead(self.now, self.now, side.endpoint.values.address(name), value))
        side.release(self.now)

    def _bring_up(self, number: int) -> None:
        setup, side = self.setup, self.sides[number]
        side.observe(Reset(0, True))
        side.observe(Reset(CLK, False))
        side.release(CLK)
        self.now = max(self.now, 2 * CLK)
        self.set(number, "MAC_ADDR", mac_addr=MACS[number], len_type=0x88B5)
        self.set(number, "IP_ADDR", ip_addr=0xC0A80001 + number, ip_ID=0x1234, ip_ttl=64)
        self.set(number, "VLAN_CTRL", vlan_en=int(setup.vlan), cfi=0, vid=0x123, tpid=0x8100)
        tcs = {f"type1_req_tc_bank{bank}": tc for bank, tc in enumerate(TCS)}
        self.set(number, "TRAFFIC_CLASS", **tcs, type1_ack_tc=ACK_TC, type2_req_tc=TYPE2_TC)
        self.set(number, "DEST_MAC_MEM2", mac_type2=0x88B6)
        self.set(number, "DEST_IP_MEM2", dest_ip_addr2=0xE0000001, dscp2=TYPE2_TC)
        self.set(number, "UDP_PORT_MEM2", udp_src_port2=0xC002, udp_dest_port2=0xBEEF)
        for group in range(8):
            self.write(number, f"TYPE2_DA_{group}", 0x010000000033 + group)
        maps = {f"type1_req_bank{bank}_cbfc": bank for bank in range(4)}
        self.set(
            number,
            "AFH_CFG_EN",
            **{FORMAT_FIELD[setup.format]: 1},
            afh_gen1_tc_en=int(setup.gen1_tc),
            stop_cbfc_en=1,
            tx_vlan_tag_sel_en=1,
            type1_ack_cbfc=4,
            type2_cbfc=5,
            type3_cbfc=6,
            **maps,
        )
        self.set(
            number,
            "RETRY_TIMER_CFG",
            x_timeout_us=setup.timeout_us,
            retry_cnt_thr=setup.retry_limit,
            x_rnr_timer=1,
            x_rnr_retry_thr=15,
        )
        self.set(
            number,
            "X_MISC_CFG",
            x_tx_bank_rr_en=int(setup.bank_rr),
            x_tx_ack_time_en=int(setup.ack_time),
            x_type1_remove_icrc_en=int(not setup.icrc),
            x_cc_window_sel=setup.window,
            x_nocnp_timer_us_m1=255,
        )
        for (register, name), value in setup.fields.items():
            self.set(number, register, **{name: value})
        for qp in setup.qps:
            self.bring_up_qp(number, qp, setup.psn, setup.psn)

    def bring_up_qp(self, number: int, qp: int, first: int, remote: int) -> None:
        """Initialise queue pair ``qp`` of side ``number``; its peer has the same number."""
        self.write(number, "QP_ID_SET", qp)
        before = (first - 1) & 4095
        for name, value in (
            ("TX_EPSN_MEM", first),
            ("EXPECT_RESP_PSN_MEM", first),
            ("TX_LAST_PSN_MEM", before),
            ("TX_MAX_FW_PSN_MEM", before),
            ("REQ_CHK_SN_MEM", remote),
            ("TX_ACK_SN_MEM", remote),
            ("TX_SPEED_MEM", self.setup.rate),
            ("TX_CC_BYTE_CNT_MEM", 0),
        ):
            self.write(number, name, value)
        self.set(number, "DEST_IP_MEM", dest_ip_addr=0xC0A80001 + 1 - number, dest_qpid=qp)
        self.set(number, "UDP_SRC_PORT_MEM", udp_src_port=0xC000 + qp, qp_p_key_tx=0x5A)
        self.write(number, "DEST_MAC_MEM", MACS[1 - number])
        self.write(number, "BTH_QP_CFG_MEM", 0x5A)
        self.write(number, "RETRY_CNT_MEM", 0)
        self.set(number, "QP_CONTROL_STATUS", qp_en=1)

    # -- traffic ----------------------------------------------------------------------------------

    def send(self, number: int, qp: int, payload: bytes, fack: bool = False) -> None:
        """A client packet of side ``number``, now."""
        side = self.sides[number]
        begin, end = side.slot(ports.TX_S, self.now, -(-len(payload) // 64))
        side.observe(FrameIn(begin, end, ports.TX_S, payload, True, (qp, int(fack), 0, 0)))
        side.sent.setdefault(qp, []).append(payload)
        side.used += 1
        self.at(end, lambda: side.endpoint.send(qp, payload, fack))

    def multicast(self, number: int, group: int, payload: bytes) -> None:
        """A TYPE2 packet of side ``number``, now."""
        side = self.sides[number]
        begin, end = side.slot(ports.TX_S, self.now, -(-len(payload) // 64))
        side.observe(FrameIn(begin, end, ports.TX_S, payload, True, (0, 0, 3, group)))
        self.at(end, lambda: side.endpoint.multicast(group, payload))

    def side_band(self, number: int, port: str, *values: int) -> None:
        """A pulse into, or a new level at, side ``number``, now."""
        side = self.sides[number]
        side.observe(SideBand(self.now, self.now, port, values))
        endpoint, regulator = side.endpoint, side.endpoint.regulator
        endpoint.now = max(endpoint.now, self.now)
        {
            ports.CBFC_LOAD: lambda: regulator.load(*values),
            ports.CBFC_RETURN: lambda: regulator.give(*values),
            ports.CBFC_RESET: regulator.wipe,
            ports.SET_CC_RATE: lambda: regulator.set_rate(values[1], values[0]),
            ports.SET_TYPE2_RATE: lambda: setattr(regulator, "type2_rate", values[0]),
            ports.RX_PFC_REQ: lambda: setattr(regulator, "paused", values[0]),
            ports.FLOW_STOP: lambda: setattr(endpoint.receiver, "stop", values[0]),
            ports.TYPE2_CRD: lambda: setattr(regulator, "cells", regulator.cells + values[0]),
            ports.MAC_CREDIT_RST: lambda: setattr(
                endpoint, "mac_credits", int(self.knobs["MAC_TX_CRD_INIT"])
            ),
            ports.MAC_CREDIT: lambda: setattr(endpoint, "mac_credits", endpoint.mac_credits + 1),
        }[port]()

    def inject(self, number: int, data: bytes, error: int = 0) -> None:
        """A frame from the MAC into side ``number``, now."""
        side = self.sides[number]
        beat = int(self.knobs.get("MAC_DW", 1024)) // 8
        begin, end = side.slot(ports.MAC_RX, self.now, -(-len(data) // beat))
        side.observe(FrameIn(begin, end, ports.MAC_RX, data, not error, (error,)))
        self.at(end, lambda: side.endpoint.receive(data, error))

    def random_packet(self) -> bytes:
        """Payload of a random length of at least 64 bytes."""
        return self.rng.randbytes(self.rng.choice((64, 65, 66, 67, 100, 128, 200, 500, 1343, 1344)))

    def traffic(
        self, packets: int, numbers: tuple[int, ...] = (0, 1), gap: int = 300, limit: int = 20_000 * US
    ) -> None:
        """Random packets of ``numbers`` as far as slots are free, then until all is quiet or ``limit`` ps."""
        left = dict.fromkeys(numbers, packets)
        end = self.now + limit
        while any(left.values()) and self.now < end:
            for number in numbers:
                endpoint = self.sides[number].endpoint
                if left[number] and self.sides[number].used < endpoint.slots:
                    left[number] -= 1
                    qp = self.rng.choice(self.setup.qps)
                    self.send(number, qp, self.random_packet(), self.rng.random() < 0.2)
            self.run(self.rng.randrange(1, gap) * CLK)
        self.drain(limit)

    # -- time -------------------------------------------------------------------------------------

    def step(self) -> None:
        """Do what is due now."""
        while self._todo and self._todo[0][0] <= self.now:
            heapq.heappop(self._todo)[2]()
        for number, side in enumerate(self.sides):
            for data in self.links[1 - number].deliver(self.now):
                self.inject(number, data)
            for event in side.endpoint.advance(self.now):
                side.observe(event)
                if isinstance(event, FrameOut) and event.port == ports.MAC_TX:
                    self.links[number].send(event.settled, event.data)
            side.release(self.now)

    def _next(self) -> int | None:
        times = [side.endpoint.next_time() for side in self.sides]
        times += [link.next_arrival() for link in self.links]
        times += [side.pending[0][0] for side in self.sides if side.pending]
        times += [self._todo[0][0] if self._todo else None]
        known = [time for time in times if time is not None]
        return min(known) if known else None

    def run(self, duration: int) -> None:
        """Let time pass."""
        end = self.now + duration
        while True:
            time = self._next()
            if time is None or time > end:
                break
            self.now = max(time, self.now)
            before = self.now
            self.step()
            if self._next() == before and not self._todo:
                self.now += CLK
        self.now = max(self.now, end)
        self.step()

    def drain(self, limit: int = 20_000 * US) -> None:
        """Until both sides are at rest."""
        end = self.now + limit
        while self.now < end and not self.at_rest():
            time = self._next()
            if time is None:
                break
            self.now = max(self.now + CLK, time)
            self.step()
        self.settle()

    def at_rest(self) -> bool:
        """Nothing waits on either side."""
        return all(
            (side.endpoint.sender.idle or self._stuck(side))
            and side.endpoint.next_time() is None
            and not side.endpoint.type2
            for side in self.sides
        ) and not any(link.next_arrival() for link in self.links)

    @staticmethod
    def _stuck(side: Side) -> bool:
        sender = side.endpoint.sender
        return all(sender.lines[slot.qp].fatal for slot in sender.slots.values())

    def settle(self, clocks: int = 3000) -> None:
        """Let ``clocks`` pass and tell the models that all is quiet."""
        self.run(clocks * CLK)
        for side in self.sides:
            side.model.quiet(self.now)

    def finish(self) -> list[Finding]:
        """End of test: what side 0 was found guilty of."""
        self.settle()
        for side in self.sides:
            side.model.finish()
            assert side.model.rules.undecided == []
            assert sum(side.model.rules.evidence.values()) == side.model.rules.decisions
        assert self.sides[1].findings == [], self.sides[1].findings[0]
        return self.sides[0].findings
