"""An ERNIC in software, made of an active endpoint: lets the model be judged without a simulator.

It turns what an endpoint does into the events the pins of real RTL would show (WQE fetches, frames,
payload writes, CQEs, doorbell words) and hands them to an ``ErnicModel``. Two of them on a lossy link
are the model's own test: everything is legal, so nothing may be found.
"""

from __future__ import annotations

from collections import deque
from dataclasses import replace

from ref_model.ernic import ErnicModel
from ref_model.events import Event, FrameIn, FrameOut, HostWrite, MemRead, MemWrite, RegWrite, Reset, SideBand
from ref_model.link import LinkFaults, LossyLink
from ref_model.memory import SparseMemory
from ref_model.registers import layout
from ref_model.rocev2.endpoint import Endpoint, EndpointConfig
from ref_model.rocev2.endpoint.requester import Request
from ref_model.rocev2.segment import Verb
from ref_model.streams import stream
from tb.host.bringup import DeviceMemory, QpMemory, Write, device_writes, mr_writes, qp_writes
from tb.host.names import RegisterNames
from tb.host.settings import DeviceConfig, QpConfig
from tb.host.wqe import CQE_SIZE, WQE_SIZE, build_wqe

OWN = {
    "C_NUM_QP": 8,
    "MR_ROWS": 16,
    "ICRC_CHECK": "on",
    "PKEY_CHECK": "drop",
    "QP_EN_LIMIT": "drop",
    "TUSER_DROP": "on",
    "TC_MAP": "dscp",
    "UDP_CSUM": "v4_zero",
    "INLINE_SEND": "either",
    "LIVENESS_CLKS": 10_000_000,
}
MEMORY = DeviceMemory(0x1000_0000, 0x1010_0000, 0x1020_0000, 0x1030_0000, 0x1040_0000)
QP, ROW, REGION = 2, 3, 0x6000_0000
REGION_SIZE = 1 << 20
PAYLOADS = 0x5000_0000
BEAT = 64
STEP = 8_000  # ps between two events of one side: two clocks

_WRITE_VERBS = {Verb.WRITE, Verb.WRITE_IMM}


class SoftErnic:
    """One side: endpoint, rings, model. ``now`` is common time in ps; ``index`` 0 or 1 names the side."""

    def __init__(
        self, index: int, pmtu: int = 1024, ip_version: int = 4, knobs: dict[str, object] | None = None
    ) -> None:
        self.model = ErnicModel({**OWN, **(knobs or {})})
        self.log: list[Event] | None = []  # what the model saw; None: not kept
        self.now = 0
        self.device = DeviceConfig(
            mac=0x02_00_00_00_00_10 + index,
            ipv4=0x0A000010 + index,
            ipv6=0xFD00 << 112 | 0x10 + index,
            interrupts=0,
            error_buffer_all=False,
        )
        peer = DeviceConfig(
            mac=0x02_00_00_00_00_11 - index, ipv4=0x0A000011 - index, ipv6=0xFD00 << 112 | 0x11 - index
        )
        self.config = QpConfig(
            number=QP,
            peer_qp=QP,
            peer_mac=peer.mac,
            peer_ip=peer.ipv6 if ip_version == 6 else peer.ipv4,
            ip_version=ip_version,
            pmtu=pmtu,
            sq_depth=32,
            rq_depth=32,
            element=8192,
            first_psn=0xFFFFF0,
            expected_psn=0xFFFFF0,
            timeout=5,
            pd=7,
        )
        self.rings = QpMemory(0x2000_0000, 0x2010_0000, 0x2020_0000, 0x2030_0000, 0x2030_0040)
        own_ip = self.device.ipv6 if ip_version == 6 else self.device.ipv4
        period = 4000 << 10 + self.config.timeout
        self.endpoint = Endpoint(
            EndpointConfig(
                qp=QP,
                peer_qp=QP,
                mac=self.device.mac,
                peer_mac=peer.mac,
                ip=own_ip,
                peer_ip=self.config.peer_ip,
                ip_version=ip_version,
                udp_port=self.device.udp_port,
                pkey=self.config.pkey,
                pmtu=pmtu,
                ttl=self.config.ttl,
                traffic_class=self.config.traffic_class << 2,
                first_psn=self.config.first_psn,
                expected_psn=self.config.expected_psn,
                timeout_ps=period + period // 4,
            )
        )
        self.endpoint.responder.read_memory = self._read_region
        self.endpoint.requester.on_read_data = self._read_data
        self._memory = SparseMemory()
        self._reads: dict[int, int] = {}  # LADDR by request number
        self._names = RegisterNames(layout("ernic"))
        self._posted = self._completed = self._seen = 0
        self._received_sends = 0
        self._wqes: deque[tuple[int, int]] = deque()
        self._consumed = 0

    # -- events -----------------------------------------------------------------------------------

    def _tick(self) -> int:
        self.now += STEP
        return self.now

    def _emit(self, event: Event) -> None:
        if self.log is not None:
            self.log.append(event)
        self.model.observe(event)

    def _register(self, entry: Write) -> None:
        time = self._tick()
        self._emit(RegWrite(time, time + 4000, self._names.address(entry.name, entry.index), entry.value))

    def _write(self, port: str, addr: int, data: bytes) -> None:
        time, lead = self._tick(), addr % BEAT
        mask = bytes(lead) + b"\1" * len(data)
        self._emit(MemWrite(time, time + 4000, port, addr - lead, bytes(lead) + data, mask))
        self._memory.write(addr, data)

    # -- software ---------------------------------------------------------------------------------

    def bring_up(self) -> None:
        """Reset, then configure device, one region and one QP through register writes."""
        self._emit(Reset(self.now, True))
        self._emit(Reset(self._tick(), False))
        for entry in device_writes(self.device, MEMORY):
            self._register(entry)
        for entry in mr_writes(ROW, self.config.pd, REGION, REGION + (1 << 32), REGION_SIZE, 0x5A, 2):
            self._register(entry)
        for entry in qp_writes(self.config, self.rings):
            self._register(entry)

    def others(self, count: int, time: int) -> list[Event]:
        """Register writes at ``time`` that set up ``count`` further queue pairs without traffic."""
        writes: list[Event] = []
        for number in range(QP + 1, min(QP + 1 + count, int(self.model.knobs["C_NUM_QP"]))):
            config = replace(self.config, number=number, peer_qp=0x1000 + number)
            base = 0x9_0000_0000 + number * 0x10_0000
            rings = QpMemory(base, base + 0x1_0000, base + 0x2_0000, base + 0x9_0000, base + 0x9_0040)
            for entry in qp_writes(config, rings):
                addr = self._names.address(entry.name, entry.index)
                writes.append(RegWrite(time, time, addr, entry.value))
        return writes

    @property
    def room(self) -> bool:
        """Whether another WQE fits."""
        return self._posted - self._completed < self.config.sq_depth - 1

    def post(self, verb: Verb, payload: bytes, offset: int = 0, value: int = 0) -> None:
        """Post one WQE: its payload and entry go to host memory, then the doorbell is rung.

        The payload of a READ is what its buffer holds before.
        """
        slot = self._posted % self.config.sq_depth
        laddr = PAYLOADS + slot * 0x1_0000
        va, key = REGION + offset, ROW << 8 | 0x5A
        inline = payload if len(payload) <= 16 else b""
        wqe = build_wqe(self._posted & 0xFFFF, verb.wqe_opcode, laddr, len(payload), va, key, inline, value)
        self._emit(HostWrite(self._tick(), laddr, payload))
        self._emit(HostWrite(self._tick(), self.rings.sq + WQE_SIZE * slot, wqe))
        self._posted += 1
        index = (self._posted - 1) % self.config.sq_depth + 1
        self._register(Write("SQPI", index, QP))
        time = self._tick()
        self._emit(MemRead(time, time + 4000, "qp_mgr", self.rings.sq + WQE_SIZE * slot, wqe))
        self._wqes.append((self._posted - 1 & 0xFFFF, verb.wqe_opcode))
        if verb is Verb.READ:
            self._reads[self.endpoint.post_read(va, key, len(payload))] = laddr
        elif verb in _WRITE_VERBS:
            self.endpoint.post_write(va, key, payload, value if verb is Verb.WRITE_IMM else None)
        else:
            immediate = value if verb is Verb.SEND_IMM else None
            self.endpoint.post_send(payload, immediate, value if verb is Verb.SEND_INV else None)

    def _free(self) -> None:
        """Give received elements back once half of the ring is used."""
        if self._received_sends - self._consumed > self.config.rq_depth // 2:
            self._consumed = self._received_sends
            self._register(Write("RQCI", (self._consumed - 1) % self.config.rq_depth + 1, QP))

    # -- hardware ---------------------------------------------------------------------------------

    def send(self) -> list[bytes]:
        """Return the frames that leave now."""
        frames = self.endpoint.poll(self.now)
        for data in frames:
            time = self._tick()
            self._emit(FrameOut(time, time + 4000, "tx", data))
        return frames

    def deliver(self, data: bytes) -> None:
        """A frame arrives from the link."""
        time = self._tick()
        self._emit(FrameIn(time, time + 4000, "roce_rx", data))
        self.endpoint.receive(self._tick(), data)
        self._place()
        self._complete()
        self._free()

    def _read_region(self, va: int, length: int) -> bytes:
        """Data of an inbound READ, fetched over the payload port."""
        addr = va + (1 << 32)
        first, last = addr & -BEAT, -(-(addr + length) // BEAT) * BEAT
        time = self._tick()
        data = self._memory.read(first, last - first)
        self._emit(MemRead(time, time + 4000, "wqe_proc_top", first, data))
        return data[addr - first :][:length]

    def _read_data(self, request: Request, offset: int, data: bytes) -> None:
        """Data of an own READ goes to host memory."""
        if data:
            self._write("rx_pkt_hndler_rdrsp", self._reads[request.number] + offset, data)

    def _place(self) -> None:
        for message in self.endpoint.received[self._seen :]:
            self._seen += 1
            value = message.immediate if message.immediate is not None else message.invalidate
            if value is not None:
                time = self._tick()
                self._emit(SideBand(time, time + 4000, "ieth_immdt", (value,)))
            if message.kind == "write":
                if message.payload:
                    self._write("rx_pkt_hndler_ddr", message.va + (1 << 32), message.payload)
                continue
            element = self.rings.rq + self.config.element * (self._received_sends % self.config.rq_depth)
            if message.payload:
                self._write("rx_pkt_hndler_ddr", element, message.payload)
            self._received_sends += 1
            index = self._received_sends % self.config.rq_depth
            self._write("rx_pkt_hndler_ddr", self.rings.rq_doorbell, index.to_bytes(4, "little"))

    def _complete(self) -> None:
        while self._completed < len(self.endpoint.completions):
            wrid, opcode = self._wqes.popleft()
            slot = self._completed % self.config.sq_depth
            cqe = wrid.to_bytes(2, "little") + bytes((opcode, 0))
            self._write("resp_hndler", self.rings.cq + CQE_SIZE * slot, cqe)
            self._completed += 1
            index = slot + 1
            self._write("resp_hndler", self.rings.cq_doorbell, index.to_bytes(4, "little"))

    @property
    def idle(self) -> bool:
        """Whether nothing is posted or planned."""
        return self.endpoint.idle


VERBS = (Verb.SEND, Verb.SEND_IMM, Verb.SEND_INV, Verb.WRITE)
READ_VERBS = (*VERBS, Verb.READ, Verb.READ)


class Pair:
    """Two software ERNICs on a lossy link, with random traffic in both directions."""

    def __init__(
        self,
        seed: int,
        faults: LinkFaults,
        pmtu: int = 1024,
        ip_version: int = 4,
        sizes: tuple[int, int] = (0, 6000),
        knobs: dict[str, object] | None = None,
        verbs: tuple[Verb, ...] = VERBS,
    ) -> None:
        self._verbs = verbs
        self.sides = (SoftErnic(0, pmtu, ip_version, knobs), SoftErnic(1, pmtu, ip_version, knobs))
        self._links = tuple(LossyLink(replace(faults), stream(seed, f"link{side}")) for side in range(2))
        self._rng = stream(seed, "traffic")
        self._sizes = sizes
        for side in self.sides:
            side.bring_up()
        self.packets = 0

    def run(self, messages: int) -> None:
        """Exchange ``messages`` per direction; raises TimeoutError if they never all arrive."""
        left = [messages, messages]
        for _ in range(messages * 4000):
            for index, side in enumerate(self.sides):
                if left[index] and side.room:
                    left[index] -= 1
                    self._post(side)
                self._exchange(index)
            if not any(left) and all(side.idle for side in self.sides) and self._empty():
                return
            self._skip()
        raise TimeoutError("traffic does not end")

    def _post(self, side: SoftErnic) -> None:
        rng = self._rng
        verb = rng.choice(self._verbs)
        payload = rng.randbytes(rng.randint(*self._sizes))
        side.post(verb, payload, rng.randrange(0, REGION_SIZE - 8192), rng.getrandbits(32))

    def _exchange(self, index: int) -> None:
        side, peer = self.sides[index], self.sides[1 - index]
        for data in side.send():
            self.packets += 1
            self._links[index].send(side.now, data)
        for data in self._links[index].deliver(side.now):
            peer.now = max(peer.now, side.now)
            self.packets += 1
            peer.deliver(data)

    def _empty(self) -> bool:
        return all(link.next_arrival() is None for link in self._links)

    def _skip(self) -> None:
        """Move common time on to the next thing that happens."""
        now = max(side.now for side in self.sides)
        times = [time for link in self._links if (time := link.next_arrival()) is not None]
        times += [time for side in self.sides if (time := side.endpoint.next_deadline()) is not None]
        target = max(now, min(times)) if times else now
        for side in self.sides:
            side.now = target
