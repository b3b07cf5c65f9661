"""One fixed frame per opcode, for comparisons with other tools."""

from __future__ import annotations

from ref_model.wire import (
    INFO,
    Aeth,
    AtomicAckEth,
    AtomicEth,
    Bth,
    Deth,
    Ethernet,
    Frame,
    IPv4,
    IPv6,
    Reth,
    Udp,
    Vlan,
)


def sample(opcode: int, v6: bool = False, tagged: bool = False, size: int = 5) -> Frame:
    """A frame with a different value in every field; `size` payload bytes where the opcode carries any."""
    info = INFO[opcode]
    bare = info.kind in ("ack", "atomic", "read_req", "cnp")
    ip: IPv4 | IPv6
    if v6:
        ip = IPv6(
            0x20010DB8 << 96 | 1, 0x20010DB8 << 96 | 2, traffic_class=0x68, flow_label=0x12345, hop_limit=61
        )
    else:
        ip = IPv4(0xC0A80001, 0xC0A80002, tos=0x68, ttl=61, ident=0x1357)
    return Frame(
        Ethernet(0x02AABBCCDD01, 0x02AABBCCDD02, 0x86DD if v6 else 0x0800),
        vlans=(Vlan(0x6064),) if tagged else (),
        ip=ip,
        udp=Udp(0xC123),
        bth=Bth(opcode, 0x00AB01 + opcode, 0xFEDC00 + opcode, pkey=0x8123, ack_req=True, se=True, mig=True),
        deth=Deth(0x80010000, 0x000155) if info.deth else None,
        reth=Reth(0x1122334455667788, 0x99AABBCC, 0x00010203) if info.reth else None,
        atomic=AtomicEth(0x0102030405060708, 0x0A0B0C0D, 0x1111222233334444, 0x5555666677778888)
        if info.atomic
        else None,
        aeth=Aeth(0x63, 0x000A0B) if info.aeth else None,
        atomic_ack=AtomicAckEth(0xCAFEBABE12345678) if info.atomic_ack else None,
        immdt=0x01020304 if info.immdt else None,
        ieth=0x55667788 if info.ieth else None,
        payload=b"" if bare else bytes(number & 0xFF for number in range(1, size + 1)),
    )
