"""Register values of the documented ERNIC bring-up, as data.

Each function returns the writes of one step in the documented order, the enable last, so that a test may
shuffle what the documentation allows to be shuffled (ERN-223). Nothing here touches the device.
"""

from __future__ import annotations

from dataclasses import dataclass

from tb.host.settings import ELEMENT_UNIT, PMTU_CODE, DeviceConfig, QpConfig, RingSize

MASK32 = 0xFFFF_FFFF
OVERRIDE = 1


@dataclass(frozen=True, slots=True)
class Write:
    """One register write: symbolic name, value, and the index of the row or queue pair (None for global
    ones).
    """

    name: str
    value: int
    index: int | None = None


@dataclass(frozen=True, slots=True)
class DeviceMemory:
    """Host addresses of the global buffers."""

    error_buffer: int
    fatal_queue: int
    response_errors: int
    outgoing_errors: int
    retry_buffers: int


@dataclass(frozen=True, slots=True)
class QpMemory:
    """Host addresses of one queue pair: rings and doorbell words."""

    sq: int
    cq: int
    rq: int
    cq_doorbell: int
    rq_doorbell: int


def _pair(low: str, high: str, value: int, index: int | None = None) -> list[Write]:
    return [Write(low, value & MASK32, index), Write(high, value >> 32, index)]


def _ring(size: RingSize) -> int:
    return size.size << 16 | size.entries


def xrnicconf(config: DeviceConfig, enable: bool = True) -> int:
    """Value of XRNICCONF."""
    return int(enable) | config.ack_mode << 3 | int(config.error_buffer_all) << 5 | config.udp_port << 8


def xrnicadconf(config: DeviceConfig, override: bool = False) -> int:
    """Value of XRNICADCONF."""
    return int(override) | int(config.retry_fatal_disable) << 2 | config.base_width << 16


def qpconf(config: QpConfig, enable: bool = True, recovery: bool = False) -> int:
    """Value of QPCONF."""
    return (
        int(enable)
        | int(config.rq_interrupt) << 2
        | int(config.cq_interrupt) << 3
        | int(config.memory_doorbells) << 4
        | int(config.cqe) << 5
        | int(recovery) << 6
        | int(config.ip_version == 6) << 7
        | PMTU_CODE[config.pmtu] << 8
        | (config.element // ELEMENT_UNIT) << 16
    )


def timeoutconf(config: QpConfig) -> int:
    """Value of TIMEOUTCONF."""
    return config.timeout | config.retry << 8 | config.rnr_retry << 11 | config.rnr_code << 16


def lstrqreq(config: QpConfig) -> int:
    """Value of LSTRQREQ: the packet before the first one expected, of an opcode that ends a message."""
    return config.last_opcode << 24 | (config.expected_psn - 1) & 0xFFFFFF


def device_writes(config: DeviceConfig, memory: DeviceMemory) -> list[Write]:
    """Global configuration; the last write enables the device."""
    writes = [
        *_pair("ERRBUFBA", "ERRBUFBAMSB", memory.error_buffer),
        Write("ERRBUFSZ", _ring(config.error_buffer)),
        *_pair("IPKTERRQBA", "IPKTERRQBAMSB", memory.fatal_queue),
        Write("IPKTERRQSZ", config.fatal_queue.entries),
        *_pair("RESPERRPKTBA", "RESPERRPKTBAMSB", memory.response_errors),
        Write("RESPERRSZ", _ring(config.response_errors)),
        *_pair("OPKTERRQBA", "OPKTERRQBAMSB", memory.outgoing_errors),
        Write("OUTERRSTSQSZ", config.outgoing_errors.entries),
        *_pair("DATBUFBA", "DATBUFBAMSB", memory.retry_buffers),
        Write("DATBUFSZ", _ring(config.retry_buffers)),
        Write("INTEN", config.interrupts),
        *_pair("MACXADDLSB", "MACXADDMSB", config.mac),
        Write("IPv4XADD", config.ipv4),
    ]
    writes += [Write(f"IPv6XADD{word + 1}", config.ipv6 >> 32 * word & MASK32) for word in range(4)]
    writes += [
        Write("XRNICADCONF", xrnicadconf(config)),
        Write("XRNIC_CONF_QP_EN", config.qp_count),
        Write("XRNICCONF", xrnicconf(config)),
    ]
    return writes


def mr_writes(row: int, pd: int, va: int, addr: int, length: int, tag: int, access: int) -> list[Write]:
    """One region table row; ``length`` has 48 bits, its upper 16 share a register with the access code."""
    return [
        Write("PDPDNUM", pd, row),
        *_pair("VIRTADDRLSB", "VIRTADDRMSB", va, row),
        *_pair("BUFBASEADDRLSB", "BUFBASEADDRMSB", addr, row),
        Write("BUFRKEY", tag, row),
        Write("WRRDBUFLEN", length & MASK32, row),
        Write("ACCESSDESC", length >> 32 << 16 | access, row),
    ]


def address_writes(config: QpConfig) -> list[Write]:
    """Destination addresses of a queue pair; word 1 of IPDESADDR is the least significant one."""
    number = config.number
    writes = _pair("MACDESADDLSB", "MACDESADDMSB", config.peer_mac, number)
    writes.append(Write("DESTQPCONF", config.peer_qp, number))
    words = 4 if config.ip_version == 6 else 1
    writes += [
        Write(f"IPDESADDR{word + 1}", config.peer_ip >> 32 * word & MASK32, number) for word in range(words)
    ]
    return writes


def _ring_writes(config: QpConfig, memory: QpMemory) -> list[Write]:
    number = config.number
    return [
        *_pair("RQBA", "RQBAMSB", memory.rq, number),
        *_pair("SQBA", "SQBAMSB", memory.sq, number),
        *_pair("CQBA", "CQBAMSB", memory.cq, number),
        Write("QDEPTH", config.rq_depth << 16 | config.sq_depth, number),
        *_pair("RQWPTRDBADD", "RQWPTRDBADDMSB", memory.rq_doorbell, number),
        *_pair("CQDBADD", "CQDBADDMSB", memory.cq_doorbell, number),
    ]


def management_writes(config: QpConfig, memory: QpMemory) -> list[Write]:
    """QP1: rings and doorbells, then the enable; it has no peer, packet numbers, timers or keys."""
    return [*_ring_writes(config, memory), Write("QPCONF", qpconf(config, config.enable), config.number)]


def qp_writes(config: QpConfig, memory: QpMemory) -> list[Write]:
    """One RC queue pair; the last write enables it (if the configuration says so)."""
    number = config.number
    return [
        *_ring_writes(config, memory),
        *address_writes(config),
        Write("SQPSN", config.first_psn, number),
        Write("LSTRQREQ", lstrqreq(config), number),
        Write("TIMEOUTCONF", timeoutconf(config), number),
        Write("QPADVCONF", config.pkey << 16 | config.ttl << 8 | config.traffic_class, number),
        Write("PDNUM", config.pd, number),
        Write("QPCONF", qpconf(config, config.enable), number),
    ]
