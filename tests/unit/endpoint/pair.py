"""Two endpoints over two link directions, run to quiet without a simulator."""

from __future__ import annotations

from dataclasses import dataclass, field

from ref_model.link import LinkFaults, LossyLink
from ref_model.rocev2.endpoint import Endpoint, EndpointConfig
from ref_model.streams import stream
from ref_model.wire import Aeth, Bth, parse


@dataclass(slots=True)
class Pair:
    """Endpoints ``a`` and ``b`` connected by links ``ab`` and ``ba``; ``now`` is picoseconds."""

    a: Endpoint
    b: Endpoint
    ab: LossyLink
    ba: LossyLink
    now: int = 0
    frames: int = 0
    log: list[tuple[str, bytes]] = field(default_factory=list)
    keep: bool = False

    def step(self) -> bool:
        """Do all that is due now and move to the next event; False when nothing is left."""
        for endpoint, inbound, outbound, name in (
            (self.a, self.ba, self.ab, "a"),
            (self.b, self.ab, self.ba, "b"),
        ):
            for frame in inbound.deliver(self.now):
                endpoint.receive(self.now, frame)
            for frame in endpoint.poll(self.now):
                self.frames += 1
                if self.keep:
                    self.log.append((name, frame))
                outbound.send(self.now, frame)
        times = [
            self.ab.next_arrival(),
            self.ba.next_arrival(),
            self.a.next_deadline(),
            self.b.next_deadline(),
        ]
        coming = [time for time in times if time is not None]
        if not coming:
            return False
        self.now = max(self.now, min(coming))
        return True

    def run(self, limit_ps: int = 10**14) -> None:
        """Run until nothing is left; an endless exchange fails."""
        while self.step():
            assert self.now < limit_ps, f"still busy at {self.now} ps"


def make_pair(seed: int = 1, faults: LinkFaults | None = None, **changes: object) -> Pair:
    """A connected pair; ``changes`` apply to both configurations (PSNs and addresses are mirrored)."""
    common: dict[str, object] = {"pmtu": 256, **changes}
    first = EndpointConfig(qp=2, peer_qp=0x1234, mac=0xA, peer_mac=0xB, ip=1, peer_ip=2,
                           first_psn=100, expected_psn=0xFFFFF0, **common)  # type: ignore[arg-type]  # fmt: skip
    second = EndpointConfig(qp=0x1234, peer_qp=2, mac=0xB, peer_mac=0xA, ip=2, peer_ip=1,
                            first_psn=0xFFFFF0, expected_psn=100, **common)  # type: ignore[arg-type]  # fmt: skip
    faults = faults or LinkFaults()
    return Pair(
        Endpoint(first),
        Endpoint(second),
        LossyLink(faults, stream(seed, "link/ab")),
        LossyLink(faults, stream(seed, "link/ba")),
    )


def bth_of(data: bytes) -> Bth:
    """Base transport header of a frame that has one."""
    bth = parse(data).bth
    assert bth is not None
    return bth


def aeth_of(data: bytes) -> Aeth:
    """AETH of a frame that has one."""
    aeth = parse(data).aeth
    assert aeth is not None
    return aeth
