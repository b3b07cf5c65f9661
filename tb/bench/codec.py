"""Codec speed: frames per second built and parsed, against scapy in the same process.

Absolute figures vary with the machine and its load; the ratio within one run is what compares.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

from ref_model.wire import Bth, Ethernet, Frame, IPv4, Udp, build, parse

PAYLOAD_BYTES = 1024
_REPEATS = 3
_SECONDS = 0.2
"""Least time of one repetition; the fastest of the repetitions counts."""


def rate(call: Callable[[], object]) -> float:
    """Calls per second of process time, best of three repetitions."""
    number, best = 1, 0.0
    for _ in range(_REPEATS):
        while True:
            start = time.process_time()
            for _ in range(number):
                call()
            spent = time.process_time() - start
            if spent >= _SECONDS:
                break
            number *= 2 if spent < _SECONDS / 8 else 1 + int(_SECONDS / spent)
        best = max(best, number / spent)
    return best


def example(payload: bytes) -> Frame:
    """A SEND over IPv4, constructed from scratch."""
    return Frame(
        Ethernet(0x020000000002, 0x020000000001, 0x0800),
        ip=IPv4(0x0A000001, 0x0A000002),
        udp=Udp(0xE348),
        bth=Bth(0x04, 0x000005, 0x000007, ack_req=True),
        payload=payload,
    )


def _scapy_cases(payload: bytes, data: bytes) -> dict[str, Callable[[], object]]:
    """The same work done by scapy, by name; empty where it is not installed (it is an optional extra).

    ValueError if scapy builds or judges the frame differently: the comparison would be void.
    """
    try:
        from scapy.contrib.roce import BTH
        from scapy.layers.inet import IP, UDP
        from scapy.layers.l2 import Ether
        from scapy.packet import Raw
    except ImportError:
        return {}

    def craft() -> bytes:
        link = Ether(dst="02:00:00:00:00:02", src="02:00:00:00:00:01")
        network = IP(src="10.0.0.1", dst="10.0.0.2", id=0, flags="DF")
        datagram = UDP(sport=0xE348, dport=4791, chksum=0)
        return bytes(link / network / datagram / BTH(opcode=4, dqpn=5, psn=7, ackreq=1) / Raw(payload))

    def dissect_and_judge() -> None:
        bth = Ether(data)[BTH]
        if bth.compute_icrc(b"") != bth.icrc.to_bytes(4, "big"):
            raise ValueError("scapy finds the ICRC wrong")

    if craft() != data:
        raise ValueError("scapy builds other bytes")
    return {"build": craft, "dissect": lambda: Ether(data), "judge": dissect_and_judge}


def run() -> list[dict[str, Any]]:
    """Rows name, value, unit, baseline, ratio for 1024-byte SENDs; the last two are None without scapy."""
    payload = bytes(index & 0xFF for index in range(PAYLOAD_BYTES))
    frame = example(payload)
    data = build(frame)
    scapy = {name: rate(call) for name, call in _scapy_cases(payload, data).items()}
    build_rate = rate(lambda: build(frame))
    construct_rate = rate(lambda: build(example(payload)))
    parse_rate = rate(lambda: parse(data))
    rows: list[dict[str, Any]] = []
    for name, value, base in (
        ("codec build", build_rate, "build"),
        ("codec construct and build", construct_rate, "build"),
        ("codec parse with checks", parse_rate, "judge"),
        ("codec parse with checks, scapy without", parse_rate, "dissect"),
    ):
        baseline = scapy.get(base)
        ratio = value / baseline if baseline else None
        rows.append({"name": name, "value": value, "unit": "frames/s", "baseline": baseline, "ratio": ratio})
    return rows


def main() -> None:
    """Print the rows as a table."""
    print(f"{'name':<40}{'value':>12}  {'unit':<10}{'scapy':>10}{'ratio':>8}")
    for row in run():
        baseline = f"{row['baseline']:.0f}" if row["baseline"] else "-"
        ratio = f"{row['ratio']:.0f}x" if row["ratio"] else "-"
        print(f"{row['name']:<40}{row['value']:>12.0f}  {row['unit']:<10}{baseline:>10}{ratio:>8}")


if __name__ == "__main__":
    main()
