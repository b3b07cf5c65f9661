"""What the tests of the model do with a CQ engine: legal, and each to show one kind of fault."""

from __future__ import annotations

from ref_model.hermon_cq import context
from tests.unit.hermon_cq.bench import (
    ANY,
    ARM_N,
    HW2SW,
    MODIFY,
    MTT_BASE,
    QUERY,
    SOL,
    SW2HW,
    US,
    Bench,
)


def filled(bench: Bench) -> None:
    bench.create(1, 3)
    bench.reports(1, 3)


def laps(bench: Bench) -> None:
    bench.create(1, 3, opmod=1)
    for _ in range(4):
        bench.reports(1, 6)
        bench.publish(1)
    bench.query(1)
    bench.destroy(1)


def pages(bench: Bench) -> None:
    bench.create(1, 8, opmod=1, page_offset=64)
    for _ in range(3):
        bench.reports(1, 100)
        bench.publish(1)


def wrap(bench: Bench) -> None:
    bench.create(1, 2, opmod=1, start=0xFFFFFD)
    for _ in range(4):
        bench.arm(1)
        bench.reports(1, 2)
        bench.take_events()
        bench.publish(1)


def errors(bench: Bench) -> None:
    bench.create(1)
    for error in (False, True, False):
        bench.reports(1, 1, error=error)


def rounds(bench: Bench) -> None:
    bench.create(1)
    for _ in range(6):
        bench.arm(1)
        bench.wait(400)
        bench.reports(1, 2)
        bench.wait(1000)
        if not bench.take_events():
            break
        bench.publish(1)


def once(bench: Bench) -> None:
    bench.create(1)
    bench.arm(1)
    bench.wait(400)
    bench.reports(1, 1)
    bench.take_events()
    bench.wait(1000)


def present(bench: Bench) -> None:
    bench.create(1)
    bench.reports(1, 2)
    bench.arm(1)
    bench.wait(2000)


def solicited(bench: Bench) -> None:
    bench.create(1)
    bench.arm(1, SOL)
    bench.wait(400)
    bench.reports(1, 2)
    bench.reports(1, 1, solicited=True)
    bench.wait(2000)


def solicited_present(bench: Bench) -> None:
    bench.create(1)
    bench.reports(1, 2)
    bench.arm(1, SOL, 0)
    bench.wait(2000)


def by_error(bench: Bench) -> None:
    bench.create(1)
    bench.arm(1, SOL)
    bench.wait(400)
    bench.reports(1, 1, error=True)
    bench.wait(2000)


def arm_n(bench: Bench) -> None:
    bench.create(1)
    bench.arm(1, ARM_N, 3)
    bench.wait(400)
    bench.reports(1, 5)
    bench.wait(2000)


def stale(bench: Bench) -> None:
    cq = bench.create(1)
    bench.arm(1)
    bench.wait(400)
    bench.reports(1, 1)
    bench.take_events()
    bench.arm(1, sn=cq.sn - 1 & 3)
    bench.wait(400)
    bench.reports(1, 1)
    bench.wait(1000)


def bad_command(bench: Bench) -> None:
    bench.create(1)
    bench.arm(1, 5)
    bench.wait(400)
    bench.reports(1, 1)
    bench.wait(1000)


def bad_page(bench: Bench) -> None:
    bench.create(1)
    bench.arm(1, page=3)
    bench.wait(400)
    bench.reports(1, 1)
    bench.wait(1000)


def upgraded(bench: Bench) -> None:
    bench.create(1)
    bench.arm(1, SOL)
    bench.wait(400)
    bench.arm(1, ANY)
    bench.wait(400)
    bench.reports(1, 1)
    bench.wait(2000)


def newer_index(bench: Bench) -> None:
    bench.create(1)
    bench.reports(1, 2)
    bench.arm(1, param=2)
    bench.wait(400)
    bench.reports(1, 1)
    bench.wait(2000)


def in_halves(bench: Bench) -> None:
    bench.create(1)
    bench.arm(1, halves=True)
    bench.wait(400)
    bench.reports(1, 1)
    bench.wait(2000)


def counted(bench: Bench) -> None:
    bench.create(1, 5, cq_max_count=4)
    for first in (1, 0, 0):
        bench.arm(1)
        bench.wait(400)
        bench.reports(1, 4 + first)
        bench.wait(1500)
        if not bench.take_events():
            return
        bench.publish(1)
    bench.reports(1, 8)
    bench.wait(1000)


def timed(bench: Bench) -> None:
    bench.pace(US)
    bench.create(1, 5, cq_max_count=9, cq_period=60)
    for _ in range(3):
        bench.arm(1)
        bench.wait(20)
        bench.reports(1, 2)
        bench.wait(100)
        bench.reports(1, 1)
        bench.wait(380)
        if not bench.take_events():
            break
        bench.publish(1)


def overflow(bench: Bench) -> None:
    bench.create(1, 2)
    bench.create(2)
    bench.reports(1, 6)
    bench.query(1)
    bench.wait(2000)


def after_overflow(bench: Bench) -> None:
    bench.create(1, 2)
    bench.reports(1, 5)
    bench.publish(1)
    bench.reports(1, 3)
    bench.wait(1000)


def published(bench: Bench) -> None:
    bench.create(1, 2)
    for _ in range(3):
        bench.reports(1, 3)
        bench.publish(1)
    bench.query(1)


def ignoring(bench: Bench) -> None:
    bench.create(1, 2, oi=1)
    bench.reports(1, 9)
    bench.query(1)


def collapsed(bench: Bench) -> None:
    bench.create(1, 2, oi=1, cc=1)
    bench.reports(1, 9)
    bench.query(1)


def absent(bench: Bench) -> None:
    bench.create(1, 8, opmod=1, present=lambda page: page == 0)
    for _ in range(4):
        bench.reports(1, 32)
        bench.publish(1)
    bench.reports(1, 3)
    bench.query(1)
    bench.wait(2000)


def resized(bench: Bench) -> None:
    bench.create(1, 3)
    bench.reports(1, 3)
    bench.publish(1)
    bench.arm(1)
    bench.wait(400)
    bench.reports(1, 1)
    bench.resize(1, 5)
    bench.reports(1, 9)
    bench.publish(1)
    bench.take_events()
    bench.query(1)


def resized_while_armed(bench: Bench) -> None:
    bench.create(1, 3)
    bench.arm(1, SOL)
    bench.wait(400)
    bench.reports(1, 2)
    bench.resize(1, 5)
    bench.reports(1, 1, solicited=True)
    bench.wait(2000)


def too_small(bench: Bench) -> None:
    bench.create(1, 4)
    bench.reports(1, 7)
    bench.resize(1, 2)


def routed(bench: Bench) -> None:
    bench.create(1, c_eqn=1)
    bench.arm(1)
    bench.wait(400)
    bench.reports(1, 1)
    bench.take_events(1)
    bench.publish(1)
    bench.command(MODIFY, 2, 1, context.encode({"c_eqn": 2}))
    bench.arm(1)
    bench.wait(400)
    bench.reports(1, 1)
    bench.wait(1000)


def full(bench: Bench) -> None:
    for eqn in range(4):
        bench.engine.eqs[eqn].log_size = 1
        bench.write("EQ_CFG", 0, eqn)
        bench.write("EQ_CFG", 1 << 16 | 1 << 8 | 1, eqn)
    for number in range(1, 6):
        bench.create(number)
        bench.arm(number)
        bench.wait(400)
        bench.reports(number, 1)
    bench.wait(500)
    for _ in range(5):
        bench.take_events()
    bench.wait(2000)


def many(bench: Bench) -> None:
    for number in range(1, 5):
        bench.create(number)
    for number in (1, 2, 3, 4, 2, 1):
        bench.arm(number)
        bench.reports(number, 1)
        bench.take_events()
        bench.publish(number)


def destroyed(bench: Bench) -> None:
    bench.create(1)
    bench.create(2)
    bench.arm(1)
    bench.wait(400)
    bench.destroy(1)
    bench.report(1)
    bench.wait(1000)
    bench.arm(2)
    bench.wait(400)
    bench.reports(2, 1)
    bench.wait(500)


def anew(bench: Bench) -> None:
    bench.create(1)
    bench.arm(1)
    bench.wait(400)
    bench.destroy(1)
    bench.create(1)
    bench.reports(1, 2)
    bench.wait(500)


def refused(bench: Bench) -> None:
    bench.create(1)
    legal = context.encode({"log_cq_size": 2})
    bench.command(SW2HW, 0, 1, legal)
    bench.command(QUERY, 0, 9)
    bench.command(HW2SW, 0, 3)
    bench.command(0x19, 0, 1)


def queried(bench: Bench) -> None:
    bench.create(1)
    bench.arm(1)
    bench.wait(400)
    bench.query(1)
    bench.reports(1, 1)
    bench.wait(2000)


def unread_at_arm(bench: Bench) -> None:
    bench.create(1)
    bench.eq_doorbell(0, arm=False)
    for _ in range(2):
        bench.arm(1)
        bench.wait(400)
        bench.reports(1, 1)
        bench.sync()
        bench.cqs[1].sn += 1
        bench.publish(1)
    bench.eq_doorbell(0)
    bench.wait(2000)


def far_counters(bench: Bench) -> None:
    bench.create(1, start=0x123456)
    bench.arm(1)
    bench.wait(400)
    bench.reports(1, 1, solicited=True)
    bench.take_events()
    bench.wait(400)
    bench.query(1)


def refused_while_armed(bench: Bench) -> None:
    bench.create(1)
    bench.arm(1)
    bench.wait(400)
    bench.command(SW2HW, 0, 1, context.encode({"log_cq_size": 2}))
    bench.query(1)
    bench.reports(1, 1)
    bench.wait(2000)


def queried_twice(bench: Bench) -> None:
    bench.create(1)
    bench.arm(1)
    bench.wait(400)
    bench.query(1)
    bench.query(1)
    bench.reports(1, 1)
    bench.wait(2000)


def low_record_bits(bench: Bench) -> None:
    bench.create(1, 2, reserved17=3)
    for _ in range(3):
        bench.reports(1, 3)
        bench.publish(1)


def reserved_bits(bench: Bench) -> None:
    for number, bits in ((1, 0), (2, 2)):
        bench.create(number, 2, opmod=1, reserved2=bits)
        bench.reports(number, 3)


def offset_pages(bench: Bench) -> None:
    bench.create(1, 3, page_offset=126)
    bench.reports(1, 5)


def other_pages(bench: Bench) -> None:
    cq = bench.create(1, 3, opmod=1)
    bench.reports(1, 3)
    bench.destroy(1)
    values = bench.buffer({"log_cq_size": 3, "usr_page": 1}, 32, lambda page: True)
    at, old = context.mtt_address(values), context.mtt_address(cq.values)
    bench.host_write(MTT_BASE + old, bench.memory.read(MTT_BASE + at, 8))
    again = context.with_addresses(values, old, cq.record)
    bench.host_write(cq.record, bytes(8))
    bench.command(SW2HW, 1, 1, context.encode(again))
    bench.reports(1, 2)


def unknown_query(bench: Bench) -> None:
    bench.create(1)
    bench.command(0x118, 0, 1)


def just_before(bench: Bench) -> None:
    """A plain CQE right behind the request: it may come first or last."""
    bench.create(1)
    bench.arm(1, SOL)
    bench.reports(1, 1)
    bench.wait(2000)


def covered(bench: Bench) -> None:
    """A new request on two CQEs that an event covered, and one CQE later than an event may take."""
    bench.create(1)
    bench.reports(1, 2)
    bench.arm(1)
    bench.wait(400)
    bench.take_events()
    bench.arm(1, param=0)
    bench.wait(800)
    bench.reports(1, 1)
    bench.wait(2000)
