"""Faults of images, of commands, of CQs in error, of many CQs at once; each found by the rule it breaks."""

from __future__ import annotations

from functools import partial

import pytest

from ref_model.events import MemRead, MemWrite, RegRead
from ref_model.hermon_cq import context, ports
from ref_model.hermon_cq.endpoint import CommandEngine, EngineCq
from ref_model.hermon_cq.endpoint.engine import BusError
from ref_model.hermon_cq.ports import Report
from tests.unit.hermon_cq import scenarios
from tests.unit.hermon_cq.bench import (
    ANY,
    CLK,
    HW2SW,
    INBOX,
    MODIFY,
    OUTBOX,
    PAGES,
    QUERY,
    RECORDS,
    SOL,
    SW2HW,
    Bench,
)
from tests.unit.hermon_cq.test_rules import first


def showing(**wrong: int) -> type[CommandEngine]:
    """An engine whose images have ``wrong`` values in some fields, XORed to the right ones."""

    class Showing(CommandEngine):
        def context_image(self, cq: EngineCq) -> bytes:
            values = context.decode(super().context_image(cq))
            return context.encode({**values, **{name: values[name] ^ bits for name, bits in wrong.items()}})

    return Showing


def queried(bench: Bench) -> None:
    bench.create(1, 3)
    bench.reports(1, 2, solicited=True)
    bench.publish(1)
    bench.reports(1, 6)
    bench.wait(400)
    bench.query(1)


@pytest.mark.parametrize(
    ("name", "bits", "rule"),
    [
        ("oi", 1, "HCQ-002"),
        ("cc", 1, "HCQ-002"),
        ("page_offset", 4, "HCQ-003"),
        ("usr_page", 1 << 23, "HCQ-003"),
        ("log_cq_size", 1, "HCQ-003"),
        ("cq_max_count", 1, "HCQ-004"),
        ("cq_period", 1, "HCQ-004"),
        ("c_eqn", 0x100, "HCQ-004"),
        ("mtt_base_addr_h", 1, "HCQ-005"),
        ("mtt_base_addr_l", 1, "HCQ-005"),
        ("log2_page_size", 1, "HCQ-005"),
        ("db_record_addr_h", 1, "HCQ-006"),
        ("db_record_addr_l", 1, "HCQ-006"),
        ("status", 9, "HCQ-008"),
        ("solicit_producer_indx", 4, "HCQ-039"),
        ("consumer_counter", 0x40, "HCQ-042"),
        ("producer_counter", 0x10, "HCQ-037"),
    ],
)
def test_image(name: str, bits: int, rule: str) -> None:
    bench = Bench({}, showing(**{name: bits}))
    queried(bench)
    assert first(bench) == rule


@pytest.mark.parametrize(("kind", "fired"), [(ANY, False), (SOL, False), (ANY, True)])
def test_state_of_the_request(kind: int, fired: bool) -> None:
    bench = Bench({}, showing(st=3))
    bench.create(1)
    bench.arm(1, kind)
    bench.wait(400)
    if fired:
        bench.reports(1, 1)
        bench.take_events()
        bench.wait(400)
    bench.query(1)
    assert first(bench) == ("HCQ-007/fired" if fired else "HCQ-007/armed")


def test_last_notified() -> None:
    bench = Bench({}, showing(last_notified_indx=2))
    scenarios.once(bench)
    bench.query(1)
    assert first(bench) == "HCQ-040"


def test_new_counters() -> None:
    bench = Bench({}, showing(consumer_counter=4))
    bench.create(1)
    bench.query(1)
    assert first(bench) == "HCQ-010/zero"


@pytest.mark.parametrize("opcode", [QUERY, HW2SW])
def test_image_that_is_not_there(opcode: int) -> None:
    class Short(CommandEngine):
        def write(self, addr: int, data: bytes, mask: bytes | None = None) -> None:
            if addr == OUTBOX:
                data = data[:32]
            super().write(addr, data, mask)

    bench = Bench({}, Short)
    bench.create(1)
    bench.command(opcode, 0, 1)
    assert first(bench) == ("HCQ-012/ready" if opcode == QUERY else "HCQ-017/image")


def test_final_counter() -> None:
    bench = Bench({}, showing(producer_counter=1))
    bench.create(1)
    bench.reports(1, 2)
    bench.destroy(1)
    assert first(bench) == "HCQ-113"


def test_mailbox_with_opmod_1() -> None:
    class Writes(CommandEngine):
        def destroy(self, cq: EngineCq, opmod: int, outbox: int) -> int:
            return super().destroy(cq, 0, outbox)

    bench = Bench({}, Writes)
    bench.create(1)
    bench.destroy(1, 1)
    assert first(bench) == "HCQ-017/image"


def test_ring_filled_with_opmod_1() -> None:
    class Fills(CommandEngine):
        def create(self, number: int, opmod: int, fields: dict[str, int]) -> int:
            return super().create(number, 0, fields)

    bench = Bench({}, Fills)
    bench.create(1, opmod=1)
    assert first(bench) == "HCQ-015"


# -- commands -----------------------------------------------------------------------------------------------


def answering(status: int, opcode: int) -> type[CommandEngine]:
    """An engine that answers ``opcode`` with ``status`` whatever it did."""

    class Answering(CommandEngine):
        def command(self) -> None:
            super().command()
            if self.values.get("HCR_CMD", "opcode") == opcode:
                self.status = status

    return Answering


@pytest.mark.parametrize(
    ("opcode", "opmod", "inbox", "status", "rule"),
    [
        (QUERY, 0, b"", 9, "HCQ-020"),
        (HW2SW, 0, b"", 9, "HCQ-017/ends"),
        (MODIFY, 1, context.encode({"cq_max_count": 2}), 3, "HCQ-021"),
        (MODIFY, 2, context.encode({"c_eqn": 2}), 3, "HCQ-021"),
        (MODIFY, 3, context.encode({"oi": 1}), 3, "HCQ-083"),
        (MODIFY, 0, context.encode({"log_cq_size": 23}), 0, "HCQ-023"),
    ],
)
def test_wrong_answer(opcode: int, opmod: int, inbox: bytes, status: int, rule: str) -> None:
    bench = Bench({}, answering(status, opcode))
    bench.create(1)
    bench.command(opcode, opmod, 1, inbox)
    assert first(bench) == rule


def test_creation_that_fails() -> None:
    bench = Bench({}, answering(3, SW2HW))
    bench.create(1)
    assert first(bench) == "HCQ-013"


def test_resize_that_fails() -> None:
    bench = Bench({}, answering(0x40, MODIFY))
    bench.create(1)
    bench.resize(1, 5)
    assert first(bench) in ("HCQ-091/accepts", "HCQ-091/refuses")


@pytest.mark.parametrize("opcode", [HW2SW, QUERY])
def test_command_on_a_cq_of_software(opcode: int) -> None:
    bench = Bench({}, answering(0, opcode))
    bench.command(opcode, 0, 1)
    assert first(bench) == "HCQ-018"


def test_command_before_init() -> None:
    bench = Bench({}, answering(0, QUERY), set_up=False)
    bench.command(QUERY, 0, 1)
    assert first(bench) == "HCQ-024"


def modified(bench: Bench) -> None:
    bench.create(1)
    bench.command(MODIFY, 1, 1, context.encode({"cq_max_count": 5}))
    bench.query(1)


def test_modify_that_changes_nothing() -> None:
    class Lazy(CommandEngine):
        def modify(self, cq: EngineCq, opmod: int, fields: dict[str, int]) -> int:
            return 0

    bench = Bench({}, Lazy)
    modified(bench)
    assert first(bench) == "HCQ-021"


def test_refused_command_that_has_an_effect() -> None:
    class Changes(CommandEngine):
        def resize(self, cq: EngineCq, fields: dict[str, int]) -> int:
            cq.values["cq_max_count"] = 7
            return super().resize(cq, fields)

    bench = Bench({}, Changes)
    bench.create(1, 4)
    bench.reports(1, 7)
    bench.resize(1, 2)
    bench.query(1)
    assert first(bench) == "HCQ-025"


def test_moderation_change_that_loses_the_event() -> None:
    class Loses(CommandEngine):
        def modify(self, cq: EngineCq, opmod: int, fields: dict[str, int]) -> int:
            cq.request = None
            return super().modify(cq, opmod, fields)

    bench = Bench({}, Loses)
    bench.create(1, cq_max_count=5)
    bench.arm(1)
    bench.wait(400)
    bench.command(MODIFY, 1, 1, context.encode({"cq_max_count": 2}))
    bench.reports(1, 7)
    assert first(bench) == "HCQ-070"


def test_flags_that_lose_the_event() -> None:
    class Loses(CommandEngine):
        def modify(self, cq: EngineCq, opmod: int, fields: dict[str, int]) -> int:
            cq.request = None
            return super().modify(cq, opmod, fields)

    bench = Bench({}, Loses)
    bench.create(1)
    bench.reports(1, 1)
    bench.arm(1, param=1)
    bench.wait(400)
    bench.command(MODIFY, 3, 1, context.encode({"oi": 1}))
    bench.reports(1, 1)
    assert first(bench) == "HCQ-083"


def test_ring_of_the_resize() -> None:
    class Stale(CommandEngine):
        """It takes the page offset from the place of the old structure."""

        def resize(self, cq: EngineCq, fields: dict[str, int]) -> int:
            status = super().resize(cq, fields)
            cq.values = {**cq.values, "page_offset": 1}
            return status

    bench = Bench({}, Stale)
    bench.create(1, 3)
    bench.resize(1, 4)
    bench.query(1)
    assert first(bench) == "HCQ-092"


def test_resize_over_an_unread_cqe() -> None:
    class Bold(CommandEngine):
        def resize(self, cq: EngineCq, fields: dict[str, int]) -> int:
            self.knobs = {**self.knobs, "CAP_MODE": "beyond"}
            return super().resize(cq, fields)

        def capacity(self, cq: EngineCq) -> int:
            return cq.size + (self.knobs["CAP_MODE"] == "beyond")

    bench = Bench({}, Bold, {"CAP_MODE": "N"})
    bench.create(1, 2)
    bench.reports(1, 4)
    bench.resize(1, 4)
    assert first(bench) == "HCQ-095"


def test_capacity_of_the_old_ring() -> None:
    class Old(CommandEngine):
        def capacity(self, cq: EngineCq) -> int:
            return 3

    bench = Bench({}, Old)
    bench.create(1, 2)
    bench.resize(1, 4)
    bench.reports(1, 5)
    assert first(bench) == "HCQ-096"


def test_owner_bits_of_the_new_ring() -> None:
    class Constant(CommandEngine):
        def resize(self, cq: EngineCq, fields: dict[str, int]) -> int:
            self.resizing = True
            return super().resize(cq, fields)

        resizing = False

        def empty_owner(self, cq: EngineCq, index: int) -> int:
            return 1 if self.resizing else super().empty_owner(cq, index)

    bench = Bench({}, Constant)
    bench.create(1, 3)
    bench.reports(1, 6)
    bench.publish(1)
    bench.resize(1, 2)
    assert first(bench) == "HCQ-090"


# -- CQs in error -------------------------------------------------------------------------------------------


def test_code_of_a_refused_report() -> None:
    class Wrong(CommandEngine):
        def execute(self, report: Report) -> int:
            code = super().execute(report)
            return ports.OVERFLOWED if code == ports.IN_ERROR else code

    bench = Bench({}, Wrong)
    scenarios.overflow(bench)
    assert first(bench) == "HCQ-076"


def test_counter_after_an_overflow() -> None:
    bench = Bench({}, showing(producer_counter=6))
    scenarios.overflow(bench)
    assert first(bench) == "HCQ-073/counter"


@pytest.mark.parametrize(("bits", "rule"), [(3, "HCQ-077/status"), (4, "HCQ-008"), (0xA, "HCQ-008")])
def test_status_that_is_another(bits: int, rule: str) -> None:
    """That of the other kind of error; a value there is not; none."""
    bench = Bench({}, showing(status=bits))
    scenarios.absent(bench)
    assert first(bench) == rule


def test_overflow_that_is_written() -> None:
    class Writes(CommandEngine):
        def execute(self, report: Report) -> int:
            cq = self.cqs[report.cqn]
            if not cq.status and self.overflows(cq):
                self.write_cqe(self.place(cq, cq.pi), self.image(cq, report))
            return super().execute(report)

    bench = Bench({}, Writes)
    scenarios.overflow(bench)
    assert first(bench) in ("HCQ-071/not_after", "HCQ-072")


def test_missing_page_without_an_event() -> None:
    class Silent(CommandEngine):
        def events(self) -> None:
            for cq in self.cqs.values():
                cq.error = 0
            super().events()

    for oi, rule in ((0, "HCQ-077/event"), (1, "HCQ-084")):
        bench = Bench({}, Silent)
        bench.create(1, 8, opmod=1, oi=oi, present=lambda page: False)
        bench.reports(1, 1)
        assert first(bench) == rule


def test_bus_error_that_nobody_minds() -> None:
    class Careless(CommandEngine):
        def write_cqe(self, place: int, data: bytes) -> None:
            try:
                super().write_cqe(place, data)
            except BusError:
                self.careless += 1

        careless = 0

    bench = Bench({}, Careless)
    bench.create(1)
    bench.engine.errors = lambda addr, write: 2 if addr >= PAGES and write else 0
    bench.reports(1, 1)
    assert first(bench) == "HCQ-078"


def test_cq_in_error_that_cannot_be_destroyed() -> None:
    class Refuses(CommandEngine):
        def destroy(self, cq: EngineCq, opmod: int, outbox: int) -> int:
            return 9 if cq.status else super().destroy(cq, opmod, outbox)

    bench = Bench({}, Refuses)
    scenarios.overflow(bench)
    bench.destroy(1)
    assert first(bench) == "HCQ-079"


def test_overrun_ignored_with_a_stuck_slot() -> None:
    class Stuck(CommandEngine):
        def owner(self, cq: EngineCq, index: int) -> int:
            return 0

    bench = Bench({}, Stuck)
    bench.create(1, 2, opmod=1, oi=1)
    bench.reports(1, 6)
    assert first(bench) == "HCQ-081"


def test_flags_without_effect() -> None:
    class Lazy(CommandEngine):
        def modify(self, cq: EngineCq, opmod: int, fields: dict[str, int]) -> int:
            return 0

    bench = Bench({}, Lazy)
    bench.create(1, 2)
    bench.command(MODIFY, 3, 1, context.encode({"oi": 1}))
    bench.reports(1, 6)
    assert first(bench) == "HCQ-083"


def test_collapsed_counter() -> None:
    bench = Bench({}, showing(producer_counter=1))
    scenarios.collapsed(bench)
    assert first(bench) == "HCQ-086/counter"


def test_collapsed_without_an_event() -> None:
    class Silent(CommandEngine):
        def fire(self, cq: EngineCq) -> None:
            super().fire(cq)
            cq.event = False

    bench = Bench({}, Silent)
    bench.create(1, 3, cc=1)
    bench.arm(1)
    bench.wait(400)
    bench.reports(1, 2)
    assert first(bench) == "HCQ-086/events"


# -- requests -----------------------------------------------------------------------------------------------


def test_request_that_a_newer_one_replaces() -> None:
    class Oldest(CommandEngine):
        """It keeps the consumer counter of the first doorbell, and fires for it again and again."""

        def arm(self, cq: EngineCq, kind: int, sn: int, param: int) -> None:
            if cq.request is not None:
                cq.request = None
                return
            super().arm(cq, kind, sn, param)

    bench = Bench({}, Oldest)
    bench.create(1)
    bench.reports(1, 2)
    bench.arm(1, SOL, 0)
    bench.wait(400)
    bench.arm(1, SOL, 2)
    bench.wait(400)
    bench.reports(1, 1, solicited=True)
    assert first(bench) == "HCQ-052"


@pytest.mark.parametrize("offset", [1, 8, -9])
def test_cq_that_an_illegal_index_disarms(offset: int) -> None:
    class Sulks(CommandEngine):
        sulking = False

        def arm(self, cq: EngineCq, kind: int, sn: int, param: int) -> None:
            ahead = (cq.pi - param + 0x800000) % 0x1000000 - 0x800000
            self.sulking = self.sulking or not 0 <= ahead <= cq.size
            if not self.sulking:
                super().arm(cq, kind, sn, param)

    for engine, rule in ((CommandEngine, "none"), (Sulks, "HCQ-057")):
        bench = Bench({}, engine)
        bench.create(1)
        bench.reports(1, 5)
        bench.publish(1)
        bench.reports(1, 5)
        bench.publish(1)
        bench.arm(1, param=bench.cqs[1].ci + offset)
        bench.wait(400)
        bench.reports(1, 1)
        bench.take_events()
        bench.publish(1)
        bench.arm(1)
        bench.wait(400)
        bench.reports(1, 1)
        bench.wait(2000)
        bench.take_events()
        assert first(bench) == rule


def test_event_between_the_halves() -> None:
    """The engine acts on the first dword, with 0 for the second."""
    bench = Bench()
    bench.create(1)
    bench.reports(1, 1)
    word, _ = ports.cq_doorbell(1, ANY, 1, 0)
    bench.uar(1 << ports.PAGE_BITS | ports.CQ_DB0, word, 0x0F)
    bench.engine.put(bench.now, lambda: bench.engine.cq_doorbell(1, word, 0))
    bench.wait(400)
    assert first(bench) == "HCQ-055"


def test_halves_that_other_pages_disturb() -> None:
    bench = Bench()
    bench.create(1)
    bench.create(2, usr_page=2)
    for page, number in ((1, 1), (2, 2)):
        bench.uar(page << 12 | 0x20, 1 << 28 | ANY << 24 | number, 0x0F)
    for page in (2, 1):
        bench.uar(page << 12 | 0x20, 0, 0xF0)
        # What one latch for all pages would hold.
        bench.engine.put(bench.now, partial(bench.engine.cq_doorbell, page, 1 << 28 | ANY << 24 | 2, 0))
    bench.wait(400)
    bench.reports(1, 1)
    assert first(bench) == "HCQ-121"


def test_event_for_an_eq_that_is_none() -> None:
    class Modulo(CommandEngine):
        def send(self, number: int | None, data: bytes) -> bool:
            return super().send(None if number is None else number % 4, data)

    bench = Bench({}, Modulo)
    bench.create(1, c_eqn=0x100)
    bench.arm(1)
    bench.wait(400)
    bench.reports(1, 1)
    assert first(bench) == "HCQ-064"


# -- many CQs -----------------------------------------------------------------------------------------------


def test_swapped_reports() -> None:
    class Swaps(CommandEngine):
        waiting: list[Report]

        def report(self, report: Report) -> None:
            if report.tag == 1:
                self.waiting = [report]
                return
            if report.tag == 2:
                one, two = self.waiting[0], report
                super().report(Report(one.cqn, two.body, one.tag))
                super().report(Report(two.cqn, one.body, two.tag))
                return
            super().report(report)

    bench = Bench({}, Swaps)
    bench.create(1)
    bench.create(2)
    bench.report(1)
    bench.report(2)
    bench.sync()
    assert first(bench) == "HCQ-116"


def test_blocked_by_another_cq() -> None:
    class Blocks(CommandEngine):
        def result(self, status: ports.Status) -> None:
            if status.cqn == 2:
                self.time += 900 * self.clock
            super().result(status)

    bench = Bench({}, Blocks)
    bench.create(1, 2)
    bench.create(2)
    bench.reports(1, 5)
    bench.reports(2, 1)
    assert first(bench) == "HCQ-117"


@pytest.mark.parametrize("number", [3, 9])
def test_report_for_nobody(number: int) -> None:
    class Says(CommandEngine):
        def execute(self, report: Report) -> int:
            return super().execute(report) and ports.IN_ERROR

    bench = Bench({}, Says)
    bench.create(1)
    bench.report(number)
    bench.sync()
    assert first(bench) == "HCQ-118/told"


def test_report_for_nobody_that_is_written() -> None:
    class Alias(CommandEngine):
        def execute(self, report: Report) -> int:
            cq = self.cqs.get(report.cqn % 8)
            if cq is not None:
                self.write_cqe(self.place(cq, cq.pi), self.image(cq, report))
            return super().execute(report)

    bench = Bench({}, Alias)
    bench.create(1)
    bench.report(9)
    bench.sync()
    assert first(bench) == "HCQ-118/silent"


def test_state_after_a_reset() -> None:
    from tests.unit.hermon_cq.test_legal import reset_bench

    bench = Bench()
    bench.create(1)
    reset_bench(bench, keep=True)
    bench.command(QUERY, 0, 1)
    assert first(bench) == "HCQ-110/state"


# -- bus ----------------------------------------------------------------------------------------------------


def test_burst_over_a_border() -> None:
    for event in (
        MemRead(0, 0, ports.MEM, 0xFE0, bytes(64)),
        MemWrite(0, 0, ports.MEM, 0x1000, bytes(128), bytes(128)),
    ):
        bench = Bench()
        bench.sync()
        bench.model.observe(event)
        assert bench.model.rules.findings[0].rule == "HCQ-107"


def test_write_into_the_record() -> None:
    class Clears(CommandEngine):
        def refresh(self, cq: EngineCq) -> None:
            super().refresh(cq)
            self.write(RECORDS + 8, bytes(8))

    bench = Bench({}, Clears)
    scenarios.published(bench)
    assert first(bench) == "HCQ-041"


def test_read_beside_the_mailbox() -> None:
    class Wide(CommandEngine):
        def create(self, number: int, opmod: int, fields: dict[str, int]) -> int:
            self.read(INBOX + 64, 8)
            return super().create(number, opmod, fields)

    bench = Bench({}, Wide)
    bench.create(1)
    assert first(bench) == "HCQ-106/reads"


def test_go_without_a_command() -> None:
    bench = Bench()
    bench.sync()
    bench.model.observe(RegRead(bench.now, bench.now + CLK, 0x18, 1 << 23, 0, ports.CMD))
    assert bench.model.rules.findings[0].rule == "HCQ-122/access"
