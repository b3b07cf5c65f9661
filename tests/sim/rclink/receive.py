"""Received frames: classification, checks, delivery."""

from __future__ import annotations

from ref_model.wire.rclink import Format
from tb.partner import Action, Direction, Fault
from tb.sequences.rclink import (
    ACK,
    CNP,
    REQUEST,
    bring_up,
    burst,
    connect,
    corrupt,
    exchange,
    payload,
    peer_burst,
    settled,
    start,
)
from tb.testcase import RclinkTest, dut_test


@dut_test(suites=("full",))
class classification(RclinkTest):
    """TYPE1 and TYPE2 frames are told apart, with and without tag, whatever the tag's TPID register says.

    Stimulus: frames of both types, a tag of the configured TPID added or not.
    Checks: RCL-025, RCL-027.
    """

    async def scenario(self) -> None:
        for vlan in (False, True):
            links = await start(self, (1, 2), vlan=vlan, tpid=0x9100, timeout_us=0)
            self.partner.multicast(1, payload(self.rng))
            await exchange(self, links, 4)
            await self.settle()


@dut_test(suites=("full",))
class address_filter(RclinkTest):
    """TYPE1 frames for another address are dropped in silence, TYPE2 frames taken for any.

    Stimulus: single wrong bits of the address over its whole width, repaired by retries; TYPE2 to a group and
    to the same wrong addresses.
    Checks: RCL-028.
    """

    async def scenario(self) -> None:
        link = (await start(self, (1,), timeout_us=8))[0]
        for bit in (0, 7, 15, 31, 40, 47):
            corrupt(self, "addresses.dst", self.host.settings.mac ^ 1 << bit)
            peer_burst(self, link, 2)
            for address in (1 << 40, self.host.settings.mac ^ 1 << bit & ~(1 << 40)):
                other = self.partner.type2_frame(bit % 8, payload(self.rng))
                other.addresses.dst = address
                self.partner.inject(other)
            await settled(self)


@dut_test(suites=("full",))
class address_filter_gen2(RclinkTest):
    """The short address of a GEN2 frame counts in all its bits, for TYPE1 only.

    Stimulus: every single wrong bit of the address, repaired by retries; TYPE2 to the same addresses.
    Checks: RCL-028.
    """

    async def scenario(self) -> None:
        link = (await start(self, (1,), timeout_us=8, format=Format.GEN2))[0]
        for bit in range(16):
            wrong = (self.host.settings.mac ^ 1 << bit) & 0xFFFF
            corrupt(self, "addresses.dst", wrong)
            peer_burst(self, link, 2)
            other = self.partner.type2_frame(bit % 8, payload(self.rng))
            other.addresses.dst = wrong
            self.partner.inject(other)
            await settled(self)


@dut_test(suites=("full",))
class fcs_errors(RclinkTest):
    """Frames the MAC marks as bad are dropped in silence.

    Stimulus: TYPE1 and TYPE2 frames with each error mark between good traffic.
    Checks: RCL-029.
    """

    async def scenario(self) -> None:
        links = await start(self, (1, 2))
        for error in (1, 2, 3):
            self.partner.inject(self.partner.type2_frame(1, payload(self.rng)), error)
            self.partner.inject(self.partner.request_frame(links[0].peer, payload(self.rng)), error)
            await exchange(self, links, 3)


class _Damage(RclinkTest):
    """One field damaged with each of some values, repaired by the retries of the partner."""

    field: str
    values: tuple[int, ...]

    async def scenario(self) -> None:
        link = (await start(self, (1,), timeout_us=8, key_rx=0x5A))[0]
        for value in self.values:
            corrupt(self, self.field, value)
            peer_burst(self, link, 3)
            await settled(self)


@dut_test(suites=("full",))
class partition_keys(_Damage):
    """Frames with a wrong key are dropped in silence.

    Stimulus: every single wrong bit of the key.
    Checks: RCL-030.
    """

    field = "rh.pkey"
    values = tuple(0x5A ^ 1 << bit for bit in range(8))


@dut_test(suites=("full",))
class reserved_opcode(_Damage):
    """Frames with the reserved opcode are dropped in silence.

    Stimulus: opcode 3 on requests, answers and notifications.
    Checks: RCL-031.
    """

    field = "rh.opcode"
    values = (3,)

    async def scenario(self) -> None:
        await super().scenario()
        link = await connect(self, 2)
        for opcode in (ACK, CNP):
            corrupt(self, self.field, 3, opcode)
            await burst(self, link.number, 1)
            self.partner.notify(link.peer)
            await settled(self)


@dut_test(suites=("full",))
class icrc_errors(_Damage):
    """Frames with a wrong ICRC are dropped in silence.

    Stimulus: wrong ICRCs on requests.
    Checks: RCL-032.
    """

    field = "icrc"
    values = (0, 0xFFFF_FFFF, 0x1234_5678)


@dut_test(suites=("full",))
class long_key_words(RclinkTest):
    """A GEN2 frame whose Key_words announce the 32-bit form is no frame of TYPE1.

    Stimulus: requests with W = 0, repaired by retries, in the 16-bit form otherwise.
    Checks: RCL-025.
    """

    async def scenario(self) -> None:
        link = (await start(self, (1,), timeout_us=8, format=Format.GEN2))[0]
        for value in (0x02, 0x7E):
            corrupt(self, "addresses.key_words", value)
            peer_burst(self, link, 3)
            await settled(self)


@dut_test(suites=("full",))
class icrc_masking(RclinkTest):
    """Fields that change on the way do not count for the ICRC.

    Stimulus: ToS and TTL of requests changed.
    Checks: RCL-032, RCL-039.
    """

    async def scenario(self) -> None:
        link = (await start(self, (1,), timeout_us=8))[0]
        for field, value in (("ip.tos", 0xFC), ("ip.ttl", 3)):
            corrupt(self, field, value)
            peer_burst(self, link, 3)
            await settled(self)
        corrupt(self, "icrc", 5)
        peer_burst(self, link, 2)


@dut_test(suites=("full",))
class disabled_qp_rx(RclinkTest):
    """Frames for a disabled or absent queue pair are dropped and reported.

    Stimulus: requests and ACKs for a disabled queue pair and for numbers beyond the build.
    Checks: RCL-033, RCL-122.
    """

    async def scenario(self) -> None:
        links = await start(self, (1, 2), timeout_us=8)
        for number in (9, int(self.env.config.knobs["QP_NUM"]), 0x1FFF):
            corrupt(self, "rh.dest_qp", number)
            corrupt(self, "rh.dest_qp", number, opcode=ACK)
            await exchange(self, links, 3)
            await settled(self)
        await self.host.clear_interrupts()


@dut_test(suites=("full",))
class rx_source_address(RclinkTest):
    """A delivered packet comes with the low ten bits of its source address.

    Stimulus: source addresses with single bits set, TYPE1 and TYPE2.
    Checks: RCL-034.
    """

    async def scenario(self) -> None:
        link = (await start(self, (1,)))[0]
        for bit in range(12):
            corrupt(self, "addresses.src", 0x02_00_00_00_00_00 | 1 << bit)
            peer_burst(self, link, 1)
            await self.host.pause(0.3)
            self.partner.clear_faults()


@dut_test(suites=("full",))
class rx_m_stall(RclinkTest):
    """What waits on RX_M stays as it is.

    Stimulus: packets of all lengths of both types against heavy back-pressure.
    Checks: RCL-034, RCL-035, RCL-138.
    """

    stalls = "heavy"

    async def scenario(self) -> None:
        links = await start(self, (1, 2))
        for _ in range(4):
            self.partner.multicast(1, payload(self.rng))
            await exchange(self, links, 4)


@dut_test(suites=("full",))
class type2_receive(RclinkTest):
    """Received multicast is delivered whatever its address, beside TYPE1.

    Stimulus: packets of all groups between TYPE1 packets of the partner.
    Checks: RCL-025, RCL-034, RCL-138.
    """

    async def scenario(self) -> None:
        link = (await start(self, (1,)))[0]
        for group in range(8):
            self.partner.multicast(group, payload(self.rng))
            self.partner.send(link.peer, payload(self.rng))
            await self.host.pause(0.1)


@dut_test(suites=("full",))
class type2_rx_oversize(RclinkTest):
    """A received packet that is too long is dropped and reported, the next one taken.

    Stimulus: one byte and two beats above the limit between good ones.
    Checks: RCL-121, RCL-122.
    """

    async def scenario(self) -> None:
        await bring_up(self)
        most = int(self.env.config.knobs["TYPE2_PKT_LEN"])
        for length in (most, most + 1, 100, most + 128, most):
            self.partner.inject(self.partner.type2_frame(1, payload(self.rng, length)))
            await self.host.pause(0.5)
        await self.settle()
        await self.host.clear_interrupts()


@dut_test(suites=("full",))
class type2_overflow(RclinkTest):
    """Multicast without room in the buffer is dropped and reported, later packets taken.

    Stimulus: RX_M held while more multicast comes than the buffer has room for, then released.
    Checks: RCL-121, RCL-122.
    """

    async def scenario(self) -> None:
        await bring_up(self)
        self.env.client_port.hold_output()
        for _ in range(int(self.env.config.knobs["TYPE2_RX_BUF_DEPTH"]) // 21 + 4):
            self.partner.multicast(1, payload(self.rng, 1344))
            await self.host.pause(0.2)
        self.env.client_port.release_output()
        await self.settle()
        self.partner.multicast(2, payload(self.rng))


@dut_test(suites=("full",))
class padded_answers(RclinkTest):
    """Short answers with any bytes behind their own end count.

    Stimulus: ACKs and CNPs of the partner padded to 60 bytes with random bytes.
    Checks: RCL-041, RCL-100, RCL-136.
    """

    async def scenario(self) -> None:
        links = await start(self, (1, 2), timeout_us=0)
        for opcode in (ACK, CNP):
            corrupt(self, "trailer", self.rng.randbytes(6), opcode, count=None)
        await exchange(self, links, 10)
        for link in links:
            self.partner.notify(link.peer)


@dut_test(suites=("full",))
class udp_checksums(RclinkTest):
    """Frames are taken whatever their UDP checksum is.

    Stimulus: requests, answers, notifications and multicast with other checksums than those of the DUT.
    Checks: RCL-014/rx, RCL-014/tx.
    """

    async def scenario(self) -> None:
        links = await start(self, (1, 2), timeout_us=0)
        for value in (0xFFFF, 0x1234, 0):
            for opcode in (REQUEST, ACK, CNP):
                corrupt(self, "udp.checksum", value, opcode, count=None)
            await exchange(self, links, 6)
            self.partner.notify(links[0].peer)
            other = self.partner.type2_frame(1, payload(self.rng))
            other.udp.checksum = value
            self.partner.inject(other)
            await settled(self)


@dut_test(suites=("full",))
class doubled_frames(RclinkTest):
    """Every frame of the partner twice changes nothing.

    Stimulus: all frames towards the DUT doubled.
    Checks: RCL-039, RCL-044, RCL-049.
    """

    async def scenario(self) -> None:
        links = await start(self, (1, 2))
        self.partner.add_faults(Fault(Action.DUPLICATE, Direction.TO_DUT))
        await exchange(self, links, 10)
