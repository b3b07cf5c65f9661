"""Words of the streams and doorbells, both ways and bit by bit."""

from __future__ import annotations

from ref_model.hermon_cq import ports
from ref_model.hermon_cq.ports import Report, Status


def test_report() -> None:
    report = Report(0xABCDEF, bytes(range(32)), 0x12345678, True, False, 0x654321)
    assert Report.of(report.word) == report
    assert report.word & 0xFFFFFFFF == 0x00010203
    assert report.word >> 224 & 0xFFFFFFFF == 0x1C1D1E1F
    assert report.word >> 312 & 3 == 1
    assert report.word >> 352 == 0


def test_status() -> None:
    status = Status(0x123456, ports.WRITE_FAILED, 0xDEADBEEF)
    assert Status.of(status.word) == status
    assert status.word == 0xDEADBEEF_04_123456


def test_doorbells() -> None:
    assert ports.cq_doorbell(0x12, ports.ANY, 3, 0x1000001) == (0x32000012, 1)
    assert [ports.eq_doorbell_address(eqn) for eqn in (0, 3, 6)] == [0x800, 0x818, 0x1810]
