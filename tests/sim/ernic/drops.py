"""Frames that fail validation: dropped without a trace, the next good one is taken."""

from __future__ import annotations

from ref_model.rocev2.segment import Verb
from ref_model.wire import Frame, IPv4, build
from tb.sequences.connect import connect
from tb.sequences.frames import (
    long_ip_header,
    other_ip_version,
    other_udp_port,
    to_qp,
    wrong_checksum,
    wrong_icrc,
    wrong_ip,
    wrong_mac,
    wrong_pkey,
    wrong_version,
)
from tb.sequences.raw import Change, RawPeer
from tb.sequences.start import bring_up
from tb.testcase import ErnicTest, dut_test


async def between_good_ones(test: ErnicTest, raw: RawPeer, changes: list[Change]) -> None:
    """For each change: a good SEND, the broken one twice, without gaps; then one more good SEND."""
    for change in changes:
        raw.post(Verb.SEND, test.rng.randbytes(20))
        raw.broken(change)
        raw.broken(change, payload=b"\x11" * 200)
        await test.host.pause(2)
        await free_all(test, raw)
    raw.post(Verb.SEND, test.rng.randbytes(20))
    await test.host.pause(2)


async def free_all(test: ErnicTest, raw: RawPeer) -> None:
    """Give back whatever was received."""
    slots = await test.host.poll_recv(raw.link.qp)
    if slots:
        await test.host.free_recv(raw.link.qp, len(slots))


@dut_test(suites=("smoke", "full"))
class drop_mac_ip_ihl_qp(ErnicTest):
    """Frames with a wrong MAC, IP version, IP header length or queue pair are dropped, counted and logged.

    Stimulus: single-bit MAC errors, IPv6 to an IPv4 queue pair and the reverse, long IP headers, disabled
    and never configured queue pairs and numbers beyond the build; each between good frames.
    Checks: ERN-099, ERN-100, ERN-101, ERN-103, ERN-110, ERN-151, ERN-154, ERN-167, ERN-170, ERN-178.
    """

    async def scenario(self) -> None:
        await bring_up(self)
        four, six = await connect(self, 2), await connect(self, 3, ip_version=6)
        await connect(self, 4, enable=False)
        macs = [wrong_mac(bit) for bit in (0, 7, 8, 23, 40, 47)]
        numbers = [to_qp(number) for number in (0, 4, 5, 9, 0x000102, 0x800002)]
        headers = [other_ip_version, long_ip_header(6), long_ip_header(15)]
        await between_good_ones(self, RawPeer(four, self.partner), [*macs, *headers, *numbers])
        await between_good_ones(self, RawPeer(six, self.partner), [wrong_mac(3), other_ip_version, to_qp(5)])


def all_of(*changes: Change) -> Change:
    """Several changes of one frame."""

    def change(frame: Frame) -> None:
        for one in changes:
            one(frame)

    return change


@dut_test(suites=("full",))
class drop_precedence(ErnicTest):
    """Of several faults in a frame the one with the lowest precedence number is told: MAC, IP version, IHL.

    Stimulus: all pairs and all three, on an IPv4 and an IPv6 queue pair, each between good frames.
    Checks: ERN-102, ERN-110, ERN-151.
    """

    async def scenario(self) -> None:
        await bring_up(self)
        four, six = await connect(self, 2), await connect(self, 3, ip_version=6)
        mac, version, length = wrong_mac(5), other_ip_version, long_ip_header(7)
        await between_good_ones(
            self, RawPeer(four, self.partner), [all_of(mac, length), all_of(mac, version), length]
        )
        both = [all_of(version, length), all_of(mac, version), all_of(mac, version, length)]
        await between_good_ones(self, RawPeer(six, self.partner), both)


@dut_test(suites=("full",))
class drop_above_count(ErnicTest):
    """Frames for a queue pair above the enabled count are dropped, counted and logged, although it is set up.

    Stimulus: count 5, queue pairs 4, 5, 6 and 7 set up and enabled, a SEND to each; again with count 8.
    Checks: ERN-104, ERN-110, ERN-170.
    """

    async def scenario(self) -> None:
        await bring_up(self, qp_count=5)
        peers = [RawPeer(await connect(self, number), self.partner) for number in (4, 5, 6, 7)]
        for raw in peers:
            raw.send(raw.message(Verb.SEND, self.rng.randbytes(40)), advance=raw.link.number <= 5)
        await self.host.pause(4)
        await self.host.write("XRNIC_CONF_QP_EN", 8)
        for raw in peers:
            raw.post(Verb.SEND, self.rng.randbytes(40))
        await self.host.pause(4)


@dut_test(suites=("full",))
class drop_icrc_pkey_tver(ErnicTest):
    """Frames with a wrong ICRC, P_Key, transport version, port, address or error mark are dropped.

    Stimulus: each fault between good frames on an IPv4 and an IPv6 queue pair; fields that may change on the
    way (TTL, class) changed with the ICRC kept, which must be accepted. Checks: ERN-105, ERN-107, ERN-108,
    ERN-109, ERN-110.
    """

    async def scenario(self) -> None:
        await bring_up(self)
        for number, version in ((2, 4), (3, 6)):
            link = await connect(self, number, ip_version=version, pkey=0x8123)
            raw = RawPeer(link, self.partner)
            keys = [wrong_pkey(bit) for bit in (0, 7, 14)]
            await between_good_ones(self, raw, [wrong_icrc, wrong_version, other_udp_port, wrong_ip, *keys])
            raw.broken(lambda frame: None, good=False)
            frame = raw.message(Verb.SEND, self.rng.randbytes(50))[0]
            raw.send(variant_fields(frame))
            await self.host.pause(2)


def variant_fields(frame: Frame) -> Frame:
    """The frame with hop count, class and BECN changed in flight; the ICRC stays that of the original."""
    changed = frame
    if isinstance(changed.ip, IPv4):
        changed.ip.ttl, changed.ip.tos = 3, 0x54
    elif changed.ip is not None:
        changed.ip.hop_limit, changed.ip.traffic_class = 3, 0x54
    assert changed.bth is not None
    changed.bth.becn = True
    assert build(changed)
    return changed


@dut_test(suites=("full",))
class cut_and_padded(ErnicTest):
    """A frame cut at any byte or with wrong lengths is dropped; padding behind the IP length is not payload.

    Stimulus: SEND cut at every header boundary and beat edge; total lengths off by 1, 4 and 64, 0 and 65535;
    UDP length alone off with a right ICRC; more pad than payload; a wrong IPv4 check sum; short frames with
    2, 4, 6 trailing bytes.
    Checks: ERN-231, ERN-232, ERN-233, ERN-110.
    """

    async def scenario(self) -> None:
        await bring_up(self)
        link = await connect(self, 2)
        raw = RawPeer(link, self.partner)
        whole = build(raw.message(Verb.SEND, self.rng.randbytes(90))[0])
        for size in (14, 20, 34, 42, 50, 54, 57, 58, 63, 64, 65, 100, 128, len(whole) - 4, len(whole) - 1):
            self.partner.inject(whole[:size])
        for trailing in (2, 4, 6, 20):
            for length in (0, 1, 5):
                frame = raw.message(Verb.SEND, self.rng.randbytes(length))[0]
                frame.trailer = self.rng.randbytes(trailing)
                raw.send(frame)
            await self.host.pause(3)
            await free_all(self, raw)
        whole = build(raw.message(Verb.SEND, self.rng.randbytes(90))[0])
        for data in (*wrong_lengths(whole, 16), *wrong_lengths(whole, 38)):
            self.partner.inject(data)
        for pad in (1, 3):
            raw.broken(pad_without_payload(pad), b"")
        raw.send([other_udp_length(raw, delta) for delta in (-64, -4, 4)], advance=False)
        raw.broken(wrong_checksum)
        raw.post(Verb.SEND, self.rng.randbytes(20))
        await self.host.pause(5)


def pad_without_payload(pad: int) -> Change:
    """Pad count of a frame that carries neither payload nor pad bytes."""

    def change(frame: Frame) -> None:
        assert frame.bth is not None
        frame.bth.pad, frame.pad_bytes = pad, b""

    return change


def other_udp_length(raw: RawPeer, delta: int) -> Frame:
    """SEND of 90 bytes whose UDP length disagrees with the IP length, all check sums right."""
    frame = raw.message(Verb.SEND, bytes(range(90)))[0]
    assert frame.udp is not None
    frame.udp.length = 8 + 12 + 92 + 4 + delta
    return frame


def wrong_lengths(whole: bytes, position: int) -> list[bytes]:
    """Frames with a 16-bit length field changed (IP check sum left stale, as a broken sender might)."""
    right = int.from_bytes(whole[position : position + 2], "big")
    values = (*(right + delta for delta in (-64, -4, -1, 1, 4, 64)), 0, 0xFFFF)
    return [whole[:position] + value.to_bytes(2, "big") + whole[position + 2 :] for value in values]
