"""A software RCLINK, driven by time in picoseconds, that shows its outputs as events."""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping
from typing import Any

from ref_model.events import Event, FrameOut, SideBand
from ref_model.rclink import frames, ports
from ref_model.rclink.config import Device, Flow, QpConfig, read_device, read_qp
from ref_model.rclink.endpoint.receiver import Receiver
from ref_model.rclink.endpoint.regulator import Regulator
from ref_model.rclink.endpoint.sender import Sender
from ref_model.rclink.registers import QP_WINDOW, RegisterFile
from ref_model.rules import specification
from ref_model.wire.rclink import Frame, build

#: Clocks from a grant to the first beat, and from an event to its pulse.
GRANT_LATENCY, PULSE_LATENCY = 6, 2
CLIENT_BEAT = 64
FREE_BUF_SET = 1 << 15
US = 1_000_000


class Endpoint:
    """One RCLINK: registers, client packets and frames in; frames, deliveries and pulses out.

    Call ``advance`` with rising times; it returns the events that began up to then. ``next_time`` tells when
    something happens without a further input. Parts can be replaced by ones that misbehave.
    """

    def __init__(
        self,
        knobs: Mapping[str, Any],
        period_ps: int = 1000,
        parts: tuple[type[Sender], type[Receiver], type[Regulator]] = (Sender, Receiver, Regulator),
    ) -> None:
        """``knobs``: parameters of spec/rclink; ``period_ps``: clock period."""
        self.knobs = specification("rclink").knobs(knobs)
        self.period = period_ps
        self.values = RegisterFile(int(self.knobs["QP_NUM"]), self.knobs)
        self.device: Device = read_device(self.values, self.knobs)
        self.now = 0
        self.slots = int(self.knobs["TYPE1_OST_N"])
        self._configs: dict[int, QpConfig] = {}
        self._events: list[Event] = []
        self._tokens: deque[tuple[int, int, int]] = deque()
        self._deliveries: deque[tuple[bytes, int, int, int]] = deque()
        self.type2: deque[tuple[bytes, int]] = deque()
        self.type2_slots = int(self.knobs["TYPE2_OST_N"])
        self._mac_free = self._client_free = self._token_free = 0
        self._beat = int(self.knobs["MAC_DW"]) // 8
        self.status = 0  #: INTR_STATUS
        self.mac_credits = int(self.knobs["MAC_TX_CRD_INIT"])
        self._credit_per_beat = self.knobs["UNIT"] == "BEAT"
        self._turn = 0
        self._silent: dict[int, int] = {}  # bytes of a queue pair since the last report or CNP
        self._report_at = 0
        self._levels: dict[str, int] = {}
        self.delivered: list[tuple[int, int, bytes]] = []  #: (queue pair, type, payload)
        self.sender = parts[0](self)
        self.receiver = parts[1](self)
        self.regulator = parts[2](self)

    # -- inputs -----------------------------------------------------------------------------------

    def write(self, addr: int, data: int) -> None:
        """Write a register, all bytes."""
        register = self.values.by_addr[addr]
        qp = self.values.selected if addr in QP_WINDOW else 0
        if qp is None:
            return
        if register.name == "INTR_STATUS":
            self.status &= ~data
            return
        self.values.write(addr, data, 0xFF, qp)
        if addr not in QP_WINDOW:
            self.device = read_device(self.values, self.knobs)
            return
        self._configs.pop(qp, None)
        line, channel = self.sender.line(qp), self.receiver.channel(qp)
        if register.name == "TX_EPSN_MEM":
            line.psn = data & 4095
            line.top = line.last = (data - 1) & 4095
        elif register.name == "EXPECT_RESP_PSN_MEM":
            line.oldest = data & 4095
        elif register.name == "REQ_CHK_SN_MEM":
            channel.expected = data & 4095
            channel.nak_sent = channel.rnr_sent = False
        elif register.name == "TX_SPEED_MEM":
            self.regulator.set_rate(qp, data & 0x3FFFFF)
        elif register.name == "RETRY_CNT_MEM":
            line.retries = data & 15
        elif register.name == "QP_CONTROL_STATUS" and data & FREE_BUF_SET:
            for _ in range(self.sender.flush(qp)):
                self._tokens.append((ports.TOKEN_TYPE1, 0, 0))

    def qp_config(self, number: int) -> QpConfig | None:
        """Configuration of queue pair ``number``, None where the build has no such one."""
        if number >= self.values.qp_count:
            return None
        if number not in self._configs:
            self._configs[number] = read_qp(self.values, number)
        return self._configs[number]

    def send(self, qp: int, payload: bytes, fack: bool = False) -> None:
        """A TYPE1 packet of the client."""
        config = self.qp_config(qp)
        assert config is not None
        if len(payload) > self.device.type1_len:
            self.message(1, 1, qp, 0)
            self._tokens.append((ports.TOKEN_TYPE1, 0, 0))
        elif not config.enabled:
            self.message(1, 4, qp, 14)
            self._tokens.append((ports.TOKEN_TYPE1, 0, 0))
        elif len(self.sender.slots) >= self.slots:
            self.message(1, 3, qp, 1)
        else:
            self.sender.accept(qp, payload, fack)

    def multicast(self, group: int, payload: bytes) -> None:
        """A TYPE2 packet of the client."""
        if len(payload) > self.device.type2_len:
            self.message(2, 1, 0, 6)
            self._tokens.append((ports.TOKEN_TYPE2, 0, 0))
        elif len(self.type2) >= self.type2_slots:
            self.message(2, 1, 0, 9)
        else:
            self.type2.append((payload, group))

    def receive(self, data: bytes, error: int = 0) -> None:
        """A frame from the MAC."""
        self.receiver.receive(data, error)

    # -- outputs ----------------------------------------------------------------------------------

    def pulse(self, port: str, *values: int) -> None:
        """Show a one-cycle output."""
        at = self.now + PULSE_LATENCY * self.period
        self._events.append(SideBand(at, at, port, values))

    def message(self, kind: int, code: int, qp: int, bit: int | None) -> None:
        """An interrupt: MSI message and status bit."""
        subtype = 1 if (kind, code) == (2, 4) else 0
        self.pulse(ports.MSI, kind << 31 | (qp << 5 if kind == 1 else subtype << 5) | code)
        if bit is not None:
            self.status |= 1 << bit

    def token(self, qp: int) -> None:
        """A slot of ``qp`` is free again."""
        self._tokens.append((ports.TOKEN_TYPE1, qp, 1))

    def deliver(self, payload: bytes, qp: int, etype: int, source: int) -> None:
        """Queue a packet for the client."""
        self._deliveries.append((payload, qp, etype, source))

    def timestamp(self) -> int:
        """Counter of the time stamps."""
        return self.now // (self.period * int(self.knobs["TS_TICK"])) & 0xFFFF

    def advance(self, now: int) -> list[Event]:
        """Go to ``now`` and return, in order, the events since the last call."""
        self.now = max(now, self.now)
        self.regulator.advance(self.now)
        self.sender.expire(self.now)
        self._report()
        while self._mac_free <= self.now and self.mac_credits > 0 and self._send():
            pass
        while self._deliveries and self._client_free <= self.now:
            self._hand_over(*self._deliveries.popleft())
        while self._tokens and self._token_free <= self.now:
            at = self.now + PULSE_LATENCY * self.period
            self._events.append(SideBand(at, at, ports.TX_S_CRD, self._tokens.popleft()))
            self._token_free = self.now + self.period
        self._show_levels()
        events, self._events = self._events, []
        return sorted(events, key=lambda event: event.begin)

    def _report(self) -> None:
        """Tell, once per interval and one queue pair per clock, the bytes sent without a CNP."""
        if self.now < self._report_at:
            return
        self._report_at = self.now + self.device.nocnp_us * US
        at = self.now + PULSE_LATENCY * self.period
        for qp, count in self._silent.items():
            self._events.append(SideBand(at, at, ports.NOCNP, (qp, count)))
            at += self.period
        self._silent.clear()

    def silence_over(self, qp: int) -> None:
        """A CNP came for ``qp``."""
        self._silent.pop(qp, None)

    def _show_levels(self) -> None:
        idle = not (self.sender.slots or self.type2 or self.receiver.answers or self.receiver.merged)
        levels = {
            ports.RC_INTR: self.status,
            ports.OST_FREE: self.slots - len(self.sender.slots),
            ports.CBFC_CF: self.regulator.shown(),
            ports.IDLE: idle << 1 | (not self._deliveries),
        }
        for port, value in levels.items():
            if self._levels.get(port, 0) != value:
                self._levels[port] = value
                self.pulse(port, value)

    def _hand_over(self, payload: bytes, qp: int, etype: int, source: int) -> None:
        begin = self.now + PULSE_LATENCY * self.period
        end = begin + (-(-len(payload) // CLIENT_BEAT) - 1) * self.period
        self._client_free = end + self.period
        user = (qp, etype, len(payload), source)
        self.delivered.append((qp, etype, payload))
        self._events.append(FrameOut(begin, end, ports.RX_M, payload, user))

    def _send(self) -> bool:
        """Grant one frame; returns whether there was one."""
        receiver, regulator, device = self.receiver, self.regulator, self.device
        if device.layout is None:
            return False
        if (receiver.cnps or receiver.answers or receiver.merged) and regulator.flow_open(Flow.ACK):
            self._answer()
            return True
        for _ in range(2):
            self._turn ^= 1
            if self._turn and (slot := self.sender.choose()) is not None:
                config = self.qp_config(slot.qp)
                assert config is not None
                stamp = self.timestamp()
                frame = frames.request(device, config, slot.qp, slot.psn, slot.fack, stamp, slot.payload)
                flow = device.bank(slot.qp)
                regulator.count(slot.qp, len(slot.payload))
                self._silent[slot.qp] = self._silent.get(slot.qp, 0) + len(slot.payload)
                self.sender.grant(slot)
                self._frame(frame, flow)
                return True
            if not self._turn and self.type2 and regulator.flow_open(Flow.TYPE2) and self._type2_rate():
                payload, group = self.type2.popleft()
                regulator.type2_count += len(payload)
                self._frame(frames.multicast(device, group, payload), Flow.TYPE2)
                self._tokens.append((ports.TOKEN_TYPE2, 0, 0))
                return True
        return False

    def _type2_rate(self) -> bool:
        rate = self.regulator.type2_rate
        return rate is None or not self.regulator.exceeded(self.regulator.type2_count, rate)

    def _answer(self) -> None:
        receiver = self.receiver
        if receiver.cnps:
            qp = next(iter(receiver.cnps))
            del receiver.cnps[qp]
            config = self.qp_config(qp)
            assert config is not None
            self._frame(frames.notification(self.device, config), Flow.ACK)
            return
        answer = receiver.next_answer()
        assert answer is not None
        qp, psn, syndrome, stamp = answer
        config = self.qp_config(qp)
        assert config is not None
        self._frame(frames.answer(self.device, config, psn, syndrome, stamp), Flow.ACK)

    def _frame(self, frame: Frame, flow: Flow) -> None:
        layout = self.device.layout
        assert layout is not None
        data = build(frame, layout)
        self.regulator.sent(flow, len(data))
        side = frames.side_of(self.device, flow)
        beats = -(-len(data) // self._beat)
        begin = self.now + GRANT_LATENCY * self.period
        end = begin + (beats - 1) * self.period
        self._mac_free = self.now + beats * self.period
        self.mac_credits -= beats if self._credit_per_beat else 1
        user = (side.vcid, side.cbfc_vcid, side.hdr_type, side.multicast, side.vlan_en, side.fcs, side.err)
        self._events.append(FrameOut(begin, end, ports.MAC_TX, data, user))

    def next_time(self) -> int | None:
        """Earliest time at which something happens by itself, None when never."""
        times = self.sender.times()
        sending = self.sender.slots or self.receiver.answers or self.receiver.merged or self.receiver.cnps
        if (sending or self.type2) and self._mac_free > self.now:
            times.append(self._mac_free)
        if sending or self.type2 or any(self.regulator.counts.values()):
            times.append(self.regulator.window_end)
        if self._silent:
            times.append(max(self._report_at, self.now))
        if self._deliveries:
            times.append(max(self._client_free, self.now + self.period))
        if self._tokens:
            times.append(max(self._token_free, self.now + self.period))
        return min(times, default=None)
