"""Frames of all formats: every field by its register."""

from __future__ import annotations

import struct
from itertools import product
from typing import Any, ClassVar

from ref_model.wire import IPv4, ipv4
from ref_model.wire.rclink import Format
from tb.partner import Action, Direction, Fault
from tb.sequences.rclink import PEER_IP, REQUEST, burst, exchange, payload, peer_burst, reset, start
from tb.testcase import RclinkTest, dut_test


class _Formats(RclinkTest):
    """Traffic of all types with each combination of settings."""

    form = Format.STANDARD
    settings: ClassVar[dict[str, tuple[Any, ...]]] = {"vlan": (False, True), "icrc": (False, True)}

    async def scenario(self) -> None:
        for values in product(*self.settings.values()):
            vcs = tuple(self.rng.sample(range(8), 7))
            chosen = dict(zip(self.settings, values, strict=True))
            links = await start(self, (1, 2, 4, 7), format=self.form, vcs=vcs, **chosen)
            mark = Fault(Action.MARK_ECN, Direction.TO_DUT, opcode=REQUEST, count=1)
            self.partner.add_faults(mark)
            await exchange(self, links, 6)
            await self.host.multicast(self.rng.randrange(8), payload(self.rng))
            self.partner.multicast(self.rng.randrange(8), payload(self.rng))
            await self.settle()
            self.partner.clear_faults()
            await reset(self)


@dut_test(suites=("full",))
class std_frames(_Formats):
    """Standard frames are complete, with and without tag and ICRC.

    Stimulus: packets both ways, TYPE2, a CNP, for the four combinations, own VC maps each.
    Checks: RCL-001, RCL-002, RCL-003, RCL-011, RCL-012, RCL-014/tx, RCL-021/present, RCL-022, RCL-088.
    """


@dut_test(suites=("full",))
class gen1_class(_Formats):
    """GEN1 frames carry the traffic class in the first source byte while enabled.

    Stimulus: traffic of all types, class and tag on and off.
    Checks: RCL-002, RCL-005, RCL-022, RCL-132.
    """

    form = Format.GEN1
    settings: ClassVar[dict[str, tuple[Any, ...]]] = {"vlan": (False, True), "gen1_tc": (False, True)}


@dut_test(suites=("smoke", "full"))
class gen2_addresses(_Formats):
    """GEN2 frames carry class, Key_words and six payload bytes in their addresses.

    Stimulus: traffic of all types, tag and ICRC on and off.
    Checks: RCL-002, RCL-006, RCL-007, RCL-021/present, RCL-022, RCL-133.
    """

    form = Format.GEN2


@dut_test(suites=("full",))
class lite_frames(_Formats):
    """LITE frames have neither tag nor RH nor ICRC, whatever the registers say; nothing is acknowledged.

    Stimulus: traffic of all types, tag and ICRC on and off.
    Checks: RCL-004, RCL-006, RCL-007, RCL-104, RCL-105, RCL-107, RCL-133.
    """

    form = Format.LITE


@dut_test(suites=("full",))
class afh_types(_Formats):
    """EtherTypes of GEN1 and GEN2 frames come from their registers.

    Stimulus: two pairs of EtherTypes, with and without tag, in GEN2.
    Checks: RCL-132.
    """

    form = Format.GEN2
    settings: ClassVar[dict[str, tuple[Any, ...]]] = {
        "vlan": (False, True),
        "len_type": (0x88B5, 0x1234),
        "type2_type": (0x88B6, 0xFEDC),
    }


@dut_test(suites=("full",))
class vlan_fields(_Formats):
    """Tag fields come from VLAN_CTRL and the VC map of the flow.

    Stimulus: both CFI values, two VLAN ids and two TPIDs, priorities from random maps.
    Checks: RCL-002, RCL-003.
    """

    settings: ClassVar[dict[str, tuple[Any, ...]]] = {
        "vlan": (True,),
        "cfi": (0, 1),
        "vid": (0x001, 0xFFE),
        "tpid": (0x88A8,),
    }


@dut_test(suites=("full",))
class address_fields(RclinkTest):
    """Source addresses come from the device, destinations from the queue pair, all bits of them.

    Stimulus: eight queue pairs, a device address with all upper bits in use.
    Checks: RCL-008, RCL-130.
    """

    async def scenario(self) -> None:
        links = await start(self, (1, 2, 3, 8, 9, 10, 11, 16), mac=0xFE_DC_BA_98_76_54, ip=0xFF00_F00F)
        await exchange(self, links, 20)


@dut_test(suites=("full",))
class ip_header(_Formats):
    """The IPv4 header is as configured, its checksum right also where the sum carries twice.

    Stimulus: TTLs, identifications and addresses at their ends; an identification that makes two carries.
    Checks: RCL-010, RCL-012.
    """

    settings: ClassVar[dict[str, tuple[Any, ...]]] = {
        "ttl": (1, 255),
        "ip_id": (0, 0xFFFF),
        "ip": (0xFFFF_FFFF, 0x0A00_0001),
    }

    async def scenario(self) -> None:
        await super().scenario()
        await start(self, (1,))
        device = self.host.settings
        header = IPv4(device.ip, PEER_IP, device.classes[1], device.ttl, ident=0, checksum=0)
        words = struct.unpack(">10H", ipv4.pack(header, 40 + 64))
        await self.host.set("IP_ADDR", ip_ID=~sum(words) & 0xFFFF)  # the words sum to 0xFFFF and a carry
        await self.host.pause(0.1)
        await burst(self, 1, 2, 64)


@dut_test(suites=("full",))
class udp_ports(_Formats):
    """TYPE2 ports come from their register, TYPE1 goes to 4791 from the port of the queue pair.

    Stimulus: two pairs of TYPE2 ports.
    Checks: RCL-013.
    """

    settings: ClassVar[dict[str, tuple[Any, ...]]] = {"type2_ports": ((0x1234, 0x8001), (0xFFFF, 0x0102))}


@dut_test(suites=("full",))
class type2_class(RclinkTest):
    """The ToS of TYPE2 is dscp2 while CBFC is stopped and the traffic class otherwise.

    Stimulus: different values in both registers, CBFC stopped and not.
    Checks: RCL-011.
    """

    async def scenario(self) -> None:
        await start(self, (1,), fields={("DEST_IP_MEM2", "dscp2"): 0xA8})
        for stop in (1, 0):
            await self.host.set("AFH_CFG_EN", stop_cbfc_en=stop, software_ctrl_cbfc_vc_status=0xFF)
            await self.host.pause(0.1)
            for group in range(3):
                await self.host.multicast(group, payload(self.rng))
            await burst(self, 1, 2)
            await self.settle()


@dut_test(suites=("full",))
class rh_fields(RclinkTest):
    """RH fields come from the queue pair: its peer's number, its own transmit key.

    Stimulus: different keys both ways; a peer number with upper bits set, which the link takes back.
    Checks: RCL-015, RCL-131.
    """

    async def scenario(self) -> None:
        links = await start(self, (1, 2, 3))
        await exchange(self, links, 10)
        await self.settle()
        await self.host.set("DEST_IP_MEM", 1, dest_qpid=0x1FF9)
        back = Fault(Action.CORRUPT, Direction.FROM_DUT, field="rh.dest_qp", value=links[0].peer)
        self.partner.add_faults(back)
        await self.host.pause(0.2)
        await exchange(self, links[:1], 6)


@dut_test(suites=("full",))
class rh_lengths(RclinkTest):
    """Pkt_len counts RH, payload and pad up to 127, Pad the bytes that fill the last word.

    Stimulus: payloads of 64 to 124 bytes.
    Checks: RCL-016, RCL-017/count.
    """

    async def scenario(self) -> None:
        await start(self, (1,))
        for length in range(64, 125):
            await burst(self, 1, 1, length)


@dut_test(suites=("full",))
class ack_timestamps(RclinkTest):
    """ACKs carry a timestamp always or only for Fack, as an echo.

    Stimulus: requests of the partner with and without Fack, both settings.
    Checks: RCL-018, RCL-019/ack, RCL-020.
    """

    async def scenario(self) -> None:
        for ack_time in (False, True):
            link = (await start(self, (1,), ack_time=ack_time))[0]
            for fack in (False, True, False, True):
                peer_burst(self, link, 1, fack=fack)
                await self.host.pause(0.6)
                await burst(self, 1, 1, fack=fack)
            await self.settle()
            await reset(self)


@dut_test(suites=("full",))
class cnp_frames(RclinkTest):
    """A CNP is a complete TYPE1 frame on the flow of the ACKs.

    Stimulus: marked requests of the partner with distinct VCs, tag and ICRC on.
    Checks: RCL-021/present, RCL-088, RCL-099.
    """

    async def scenario(self) -> None:
        links = await start(self, (1, 2), vlan=True)
        self.partner.add_faults(Fault(Action.MARK_ECN, Direction.TO_DUT, opcode=REQUEST))
        for link in (*links, *links):
            peer_burst(self, link, 1)
            await self.host.pause(0.7)


@dut_test(suites=("full",))
class side_band(_Formats):
    """The words beside a frame on the MAC port say what it is.

    Stimulus: traffic of all types with and without tag, random VCs.
    Checks: RCL-022.
    """

    form = Format.GEN1
    settings: ClassVar[dict[str, tuple[Any, ...]]] = {"vlan": (False, True)}
