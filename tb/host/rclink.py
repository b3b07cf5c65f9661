"""Driver side of an RCLINK: registers over 64-bit AXI4-Lite, client packets with tokens, TYPE3 rings.

Nothing here judges the device; values read back only steer the stimulus.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Mapping
from dataclasses import replace
from typing import Any, Protocol

from ref_model.errors import UserError
from ref_model.rclink import ports
from ref_model.rclink.registers import QP_WINDOW, RegisterFile
from tb.agents.tokens import TokenClient
from tb.host.patience import US, Patient
from tb.host.placement import Memory
from tb.host.rclink_settings import Change, QpSettings, RclinkSettings, device_changes, qp_changes
from tb.host.type3 import Type3Rings

ASIDE_PS = 1
"""What a scenario does behind a packet is off the clock edges: no race with what the monitors see there."""
ENABLED_PS = 40_000
"""How long an enable may take to have its effect: no packet is given to the device before."""
PSN_MASK = 4095


class RegisterPort(Protocol):
    """Access to the register space."""

    async def write(self, addr: int, data: int, strb: int | None = None) -> object:
        """Write 64 bits; what it returns is not used."""

    async def read(self, addr: int) -> int:
        """Read 64 bits."""


class RclinkHost(Patient):
    """Host of one RCLINK."""

    POLL_PS = LONGEST_POLL_PS = 500_000
    LIMIT_PS = 2_000 * US

    def __init__(
        self,
        port: RegisterPort,
        memory: Memory,
        client: TokenClient,
        knobs: Mapping[str, Any],
        sleep: Callable[[int], Awaitable[None]],
    ) -> None:
        """Nothing reaches the device before ``open``; ``knobs``: parameters of spec/rclink."""
        super().__init__(sleep)
        self.port = port
        self.client = client
        self._knobs = knobs
        self.type3 = Type3Rings(self, memory)
        self.forget()

    def forget(self) -> None:
        """The device was reset: all registers have their reset values, there are no queue pairs."""
        self.settings = RclinkSettings()
        self.qps: dict[int, QpSettings] = {}
        self._written = RegisterFile(int(self._knobs["QP_NUM"]), self._knobs)
        self._selected: int | None = None
        self.type3.forget()

    # -- registers --------------------------------------------------------------------------------

    async def write(self, name: str, value: int, qp: int | None = None, strb: int | None = None) -> None:
        """Write register ``name`` (of queue pair ``qp``); bytes without strobe stay."""
        addr = await self._locate(name, qp)
        if name == "QP_ID_SET":
            self._selected = value
        self._written.write(addr, value, 0xFF if strb is None else strb, qp or 0)
        await self.port.write(addr, value, strb)

    async def read(self, name: str, qp: int | None = None) -> int:
        """Read register ``name`` (of queue pair ``qp``)."""
        return await self.port.read(await self._locate(name, qp))

    async def write_window(self, name: str, value: int) -> None:
        """Write a register of the window without naming a queue pair."""
        await self.port.write(self._written.address(name), value)

    async def read_window(self, name: str) -> int:
        """Read a register of the window without naming a queue pair."""
        return await self.port.read(self._written.address(name))

    async def _locate(self, name: str, qp: int | None) -> int:
        addr = self._written.address(name)
        if (addr in QP_WINDOW) != (qp is not None):
            need = "needs a queue pair" if qp is None else "is not of a queue pair"
            raise UserError(f"register {name} {need}")
        if qp is not None and qp != self._selected:
            await self.write("QP_ID_SET", qp)
        return addr

    async def set(self, register: str, qp: int | None = None, **fields: int) -> None:
        """Change fields of a register; the others keep what was last written, W1C fields get 0."""
        word = self._written.word(register, qp or 0)
        for name, value in fields.items():
            entry = self._written.entry(register, name)
            if not 0 <= value < 1 << entry.width:
                raise UserError(f"{register}.{name}: value {value:#x} does not fit {entry.width} bits")
            word = (word & ~entry.mask) | value << entry.lsb
        await self.write(register, word, qp)

    async def get(self, register: str, field: str, qp: int | None = None) -> int:
        """Read one field."""
        entry = self._written.entry(register, field)
        return await self.read(register, qp) >> entry.lsb & (1 << entry.width) - 1

    async def apply(self, changes: Iterable[Change]) -> None:
        """Do the changes in order."""
        for change in changes:
            await self.set(change.register, change.qp, **change.fields)

    # -- device and queue pairs -------------------------------------------------------------------

    async def open(self, settings: RclinkSettings) -> None:
        """Documented bring-up (flows I1, I2, I3, I5)."""
        self.settings = settings
        await self.apply(device_changes(settings))

    async def create_qp(self, settings: QpSettings) -> None:
        """Initialise a queue pair, enable last (flow I4)."""
        self.qps[settings.number] = settings
        await self.apply(qp_changes(settings))
        await self._sleep(ENABLED_PS)

    async def recover(self, qp: int, remote_psn: int) -> QpSettings:
        """Recovery of a fatal queue pair; ``remote_psn``: with which PSN the peer begins anew.

        Raises:
            TimeoutError: the device stays busy, or does not finish freeing the slots.
        """
        await self.set("QP_CONTROL_STATUS", qp, qp_en=0)
        await self.write("TX_SPEED_MEM", 0, qp)
        await self.pause(1)

        async def rested() -> bool:
            return not await self.get("XON_THR_RDMA", "type1_free_busy")

        async def freed() -> bool:
            return not await self.get("QP_CONTROL_STATUS", "free_buf_set", qp)

        await self.wait_until(rested, "the end of type1_free_busy")
        word = 1 << self._written.entry("QP_CONTROL_STATUS", "free_buf_set").lsb
        await self.port.write(self._written.address("QP_CONTROL_STATUS"), word)
        await self.wait_until(freed, "the end of free_buf_set")
        first = (await self.get("TX_EPSN_MEM", "tx_psn", qp) + 1) & PSN_MASK
        settings = replace(self.qps[qp], first_psn=first, remote_psn=remote_psn)
        await self.create_qp(settings)
        return settings

    async def clear_interrupts(self, bits: int = 0xFFFF) -> None:
        """Clear bits of INTR_STATUS."""
        await self.port.write(self._written.address("INTR_STATUS"), bits)

    # -- packets ----------------------------------------------------------------------------------

    async def send(self, qp: int, payload: bytes, fack: bool = False, credit: bool = True) -> None:
        """Queue a TYPE1 packet once there is a token; ``credit=False``: without one."""
        user = (qp, int(fack), ports.ETYPE_TYPE1, 0)
        await self.client.send(ports.TOKEN_TYPE1, payload, user, credit)
        await self._sleep(ASIDE_PS)

    async def multicast(self, group: int, payload: bytes, credit: bool = True) -> None:
        """Queue a TYPE2 packet for ``group`` once there is a token."""
        user = (0, 0, ports.ETYPE_TYPE2, group)
        await self.client.send(ports.TOKEN_TYPE2, payload, user, credit)
        await self._sleep(ASIDE_PS)
