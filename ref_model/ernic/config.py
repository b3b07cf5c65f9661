"""What the registers say about the device and about one QP, decoded once per change."""

from __future__ import annotations

from dataclasses import dataclass

from ref_model.registers import Layout

#: Registers that change with every message and configure nothing.
INDEX_REGISTERS = frozenset({"SQPI", "RQCI"})

PMTU_BY_CODE = (256, 512, 1024, 2048, 4096)


class RegisterValues:
    """Storage of the read/write registers by address; ``epoch`` changes with each configuration."""

    def __init__(self, layout: Layout) -> None:
        """Start at the reset values."""
        self.layout = layout
        self.epoch = 0
        self.reset()

    def reset(self) -> None:
        """All registers back to their reset values."""
        self._values: dict[int, int] = {}
        self.epoch += 1

    def get(self, block: str, name: str, index: int = 0) -> int:
        """Return the stored word of a register."""
        entry = self.layout.blocks[block]
        register = entry.by_name[name]
        return self._values.get(entry.base + index * entry.stride + register.offset, register.reset)

    def put(self, block: str, name: str, value: int, index: int = 0) -> None:
        """Store a word; a new epoch begins unless it only moves a ring index."""
        entry = self.layout.blocks[block]
        self._values[entry.base + index * entry.stride + entry.by_name[name].offset] = value & 0xFFFFFFFF
        if name not in INDEX_REGISTERS:
            self.epoch += 1

    def written(self, addr: int) -> bool:
        """Return whether the register at ``addr`` was written since reset."""
        return addr in self._values


@dataclass(frozen=True, slots=True)
class Device:
    """Global configuration (G+000 to G+0B8)."""

    enabled: bool
    ack_mode: int
    log_all_errors: bool
    udp_source: int
    override: bool
    retry_forever: bool
    base_width: int
    mac: int
    ipv4: int
    ipv6: int
    qp_count: int


@dataclass(frozen=True, slots=True)
class QpConfig:
    """Configuration of one QP (QP+00 to QP+D0) joined with the device addresses it uses."""

    enabled: bool
    rq_irq: bool
    cq_irq: bool
    memory_doorbells: bool
    cqe: bool
    recovery: bool
    ip_version: int
    pmtu: int
    element: int
    traffic_class: int
    ttl: int
    pkey: int
    rq_base: int
    sq_base: int
    cq_base: int
    rq_doorbell: int
    cq_doorbell: int
    sq_depth: int
    rq_depth: int
    dest_qp: int
    timeout: int
    retry_limit: int
    rnr_limit: int
    rnr_code: int
    dst_mac: int
    dst_ip: int
    src_mac: int
    src_ip: int
    udp_source: int
    pd: int
    unused_addresses: tuple[int, ...]

    @property
    def head(self) -> tuple[int, ...]:
        """Header values every frame of the QP carries: MACs, IPs, UDP source port, P_Key, DestQP."""
        return (
            self.dst_mac,
            self.src_mac,
            self.src_ip,
            self.dst_ip,
            self.udp_source,
            self.pkey,
            self.dest_qp,
        )


def read_device(values: RegisterValues) -> Device:
    """Decode the global configuration."""

    def get(name: str) -> int:
        return values.get("GLOBAL", name)

    conf, advanced = get("XRNICCONF"), get("XRNICADCONF")
    return Device(
        enabled=bool(conf & 1),
        ack_mode=conf >> 3 & 3,
        log_all_errors=bool(conf >> 5 & 1),
        udp_source=conf >> 8 & 0xFFFF,
        override=bool(advanced & 1),
        retry_forever=bool(advanced >> 2 & 1),
        base_width=advanced >> 16 & 0xF,
        mac=(get("MACXADDMSB") & 0xFFFF) << 32 | get("MACXADDLSB"),
        ipv4=get("IPv4XADD"),
        ipv6=get("IPv6XADD4") << 96 | get("IPv6XADD3") << 64 | get("IPv6XADD2") << 32 | get("IPv6XADD1"),
        qp_count=get("XRNIC_CONF_QP_EN") & 0x7FF,
    )


def _words(*addresses: int) -> tuple[int, ...]:
    """Return the 32-bit words of ``addresses`` that are not 0."""
    words = (address >> shift & 0xFFFFFFFF for address in addresses for shift in range(0, 128, 32))
    return tuple(word for word in words if word)


def read_qp(values: RegisterValues, slot: int, device: Device) -> QpConfig:
    """Decode the configuration in QP slot ``slot``."""

    def get(name: str) -> int:
        return values.get("QP", name, slot)

    def wide(low: str, high: str) -> int:
        return get(high) << 32 | get(low)

    conf, advanced, depth, timeout = get("QPCONF"), get("QPADVCONF"), get("QDEPTH"), get("TIMEOUTCONF")
    ip_version = 6 if conf >> 7 & 1 else 4
    code = conf >> 8 & 7
    dst_v6 = get("IPDESADDR4") << 96 | get("IPDESADDR3") << 64 | get("IPDESADDR2") << 32 | get("IPDESADDR1")
    return QpConfig(
        enabled=bool(conf & 1),
        rq_irq=bool(conf >> 2 & 1),
        cq_irq=bool(conf >> 3 & 1),
        memory_doorbells=bool(conf >> 4 & 1),
        cqe=bool(conf >> 5 & 1),
        recovery=bool(conf >> 6 & 1),
        ip_version=ip_version,
        pmtu=PMTU_BY_CODE[code] if code < len(PMTU_BY_CODE) else PMTU_BY_CODE[-1],
        element=(conf >> 16) * 256,
        traffic_class=advanced & 0x3F,
        ttl=advanced >> 8 & 0xFF,
        pkey=advanced >> 16,
        rq_base=wide("RQBA", "RQBAMSB") & ~0xFF,
        sq_base=wide("SQBA", "SQBAMSB") & ~0x1F,
        cq_base=wide("CQBA", "CQBAMSB") & ~0x1F,
        rq_doorbell=wide("RQWPTRDBADD", "RQWPTRDBADDMSB"),
        cq_doorbell=wide("CQDBADD", "CQDBADDMSB"),
        sq_depth=depth & 0xFFFF,
        rq_depth=depth >> 16,
        dest_qp=get("DESTQPCONF") & 0xFFFFFF,
        timeout=timeout & 0x3F,
        retry_limit=timeout >> 8 & 7,
        rnr_limit=timeout >> 11 & 7,
        rnr_code=timeout >> 16 & 0x1F,
        dst_mac=(get("MACDESADDMSB") & 0xFFFF) << 32 | get("MACDESADDLSB"),
        dst_ip=get("IPDESADDR1") if ip_version == 4 else dst_v6,
        src_mac=device.mac,
        src_ip=device.ipv4 if ip_version == 4 else device.ipv6,
        udp_source=device.udp_source,
        pd=get("PDNUM") & 0xFFFFFF,
        unused_addresses=_words(dst_v6 >> 32, device.ipv6) if ip_version == 4 else _words(device.ipv4),
    )
