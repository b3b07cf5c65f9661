"""A register file and memory in Python behind the host: enough device to post, complete and receive."""

from __future__ import annotations

from ref_model.memory import SparseMemory
from ref_model.registers import layout
from ref_model.streams import stream
from tb.host import DeviceConfig, ErnicHost, RegisterNames
from tb.host.ring import index_value


class FakeMemory:
    """Sparse memory with a bump allocator."""

    def __init__(self) -> None:
        self.data = SparseMemory()
        self.next = 0x10_0000

    def write(self, addr: int, data: bytes) -> None:
        self.data.write(addr, data)

    def read(self, addr: int, length: int) -> bytes:
        return self.data.read(addr, length)

    def alloc(self, size: int, align: int = 64, name: str = "") -> int:
        self.next = -(-self.next // align) * align
        addr, self.next = self.next, self.next + size
        return addr


class FakeDevice:
    """Keeps register values by address; completes WQEs when ``complete`` is called."""

    def __init__(self, memory: FakeMemory) -> None:
        self.memory = memory
        self.values: dict[int, int] = {}
        self.writes: list[tuple[int, int]] = []
        self.done = 0

    async def write(self, addr: int, data: int, strb: int = 0xF) -> None:
        self.writes.append((addr, data))
        self.values[addr] = data

    async def read(self, addr: int) -> int:
        return self.values.get(addr, 0)

    def complete(self, host: ErnicHost, number: int, count: int) -> None:
        """Write CQEs and the doorbell for the next ``count`` entries of a queue pair."""
        qp, memory = host.qps[number], host.qp_memory[number]
        depth = qp.config.sq_depth
        for entry in range(self.done, self.done + count):
            wqe = self.memory.read(memory.sq + 64 * (entry % depth), 64)
            self.memory.write(memory.cq + 4 * (entry % depth), wqe[0:2] + wqe[16:17] + b"\0")
        self.done += count
        value = index_value(self.done, depth)
        self.memory.write(memory.cq_doorbell, value.to_bytes(4, "little"))
        self.values[host.names.address("CQHEAD", number)] = value


class World:
    """Host and fake device; ``sleep`` completes everything posted so far when ``auto`` is set."""

    def __init__(self, raw: bool = False) -> None:
        self.memory = FakeMemory()
        self.device = FakeDevice(self.memory)
        self.auto = False
        self.slept = 0
        names = RegisterNames(layout("ernic"), raw)
        self.host = ErnicHost(self.device, self.memory, names, DeviceConfig(), stream(1, "host"), self.sleep)

    async def sleep(self, ps: int) -> None:
        self.slept += ps
        if self.auto:
            for number, qp in self.host.qps.items():
                self.device.complete(self.host, number, qp.posted - self.device.done)
