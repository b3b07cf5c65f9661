"""CQ contexts and their commands: fields, ownership, refusals, what a command leaves alone."""

from __future__ import annotations

from ref_model.hermon_cq.context import encode, field, names
from tb.host.hermon import Command, Modify, ring_fields
from tb.host.hermon_cq import CqSettings
from tb.sequences.hermon import (
    COMMANDS,
    STRIDES,
    Arm,
    await_event,
    context_values,
    create,
    fill,
    laps,
    overflow,
    reset,
    rest,
    round_trip,
    start,
)
from tb.testcase import HermonTest, dut_test


@dut_test(suites=("smoke", "full"))
class context_fields(HermonTest):
    """Every field that software gives comes back in the images of QUERY_CQ and HW2SW_CQ, at its place.

    Stimulus: oi and cc in all combinations; each field 0, at its maximum and with a walking one, the others
    random.
    Checks: HCQ-001, HCQ-002, HCQ-003, HCQ-004, HCQ-005, HCQ-006, HCQ-010.
    """

    async def scenario(self) -> None:
        await start(self, ())
        for values in context_values(self.rng, int(self.host.knobs["MAX_LOG_CQ"])):
            await self.host.command(Command.SW2HW, 5, 1, values)
            await self.host.query(5)
            await self.host.destroy(5)


@dut_test(suites=("full",))
class hardware_fields(HermonTest):
    """The counters, st and status show what happened, at their places.

    Stimulus: four counters made different above 0xFFFF; st in each state; a queue that overflowed.
    Checks: HCQ-007/armed, HCQ-007/fired, HCQ-008, HCQ-009, HCQ-037, HCQ-039, HCQ-040, HCQ-042.
    """

    async def scenario(self) -> None:
        await start(self, ())
        await self.host.start_at(0x12_3456)
        cq = await create(self, 3, log_size=3)
        for request in (Arm.ANY, Arm.SOLICITED, Arm.ANY):
            await self.host.query(3)
            await cq.arm(request)
            await rest(self)
            await self.host.query(3)
            await fill(self, cq, 2, solicited=True)
            await await_event(self, cq)
            await fill(self, cq, 1)
            await self.host.query(3)
            cq.drain()
        await cq.resize(4)  # makes the device read the record
        await self.host.query(3)
        cq.drain()
        await overflow(self, cq)
        await self.host.query(3)
        await self.host.destroy(3)


@dut_test(suites=("full",))
class create_state(HermonTest):
    """A new queue has no request, no error and zero counters; what st and counters were given is on record.

    Stimulus: creation with st 0, A, 9 and 6, zeros and garbage in the counters; CQEs without a request.
    Checks: HCQ-010/zero, HCQ-013, HCQ-061.
    """

    async def scenario(self) -> None:
        await start(self, ())
        garbage = {name: 0x5A5A5A for name in names("hw") if field(name).mask > 15}
        for number, (st, more) in enumerate((st, more) for st in (0, 10, 9, 6) for more in ({}, garbage)):
            cq = self.host.prepare(CqSettings(number, 2, st=st, extra=more))
            if not (await self.host.sw2hw(cq)).status:
                await self.host.query(number)
                await fill(self, cq, 2)
                await self.host.query(number)
                cq.drain()
                await round_trip(self, cq)
                await self.host.destroy(number)


@dut_test(suites=("full",))
class reserved_fields(HermonTest):
    """Reserved bits of a context change nothing, or creation is refused.

    Stimulus: each reserved field all ones, one at a time and all together; a short run on each queue.
    Checks: HCQ-011, HCQ-006.
    """

    async def scenario(self) -> None:
        await start(self, ())
        reserved = {name: field(name).mask for name in names("reserved")}
        reserved["reserved2"] &= ~1  # bit 19 of the dword has a meaning in later firmware
        cases = [{}, *({name: value} for name, value in reserved.items()), reserved]
        cases += [{"reserved17": low} for low in range(1, 8)]
        for case in cases:
            cq = self.host.prepare(CqSettings(1, 2, extra=case))
            if (await self.host.sw2hw(cq)).status:
                continue
            await round_trip(self, cq)
            await laps(self, cq, 5)
            await self.host.destroy(1)


class _Prefill(HermonTest):
    opmod = 0

    async def scenario(self) -> None:
        for stride in STRIDES:
            await start(self, (), stride=stride)
            page_log = (4096 // stride).bit_length()  # more than a page
            for number, log_size in enumerate((1, 3, page_log)):
                for filled in (b"\0", b"\xff", self.rng.randbytes(stride)):
                    cq = await create(self, number, log_size=log_size, opmod=self.opmod, fill=filled)
                    await laps(self, cq, 3)
                    await self.host.destroy(number, 1)
            await create(self, 9, log_size=3, cc=True, opmod=self.opmod)
            await reset(self)


@dut_test(suites=("full",))
class create_prefill(_Prefill):
    """Creation gives every entry of the ring to the device, whatever memory held.

    Stimulus: rings of 2, 8 and more than a page of entries at all strides, over 0x00, 0xFF and random memory.
    Checks: HCQ-014, HCQ-013.
    """


@dut_test(suites=("full",))
class create_untouched(_Prefill):
    """With opcode modifier 1 creation writes nothing into the ring, which software has prepared.

    Stimulus: as for the command that fills the ring.
    Checks: HCQ-015, HCQ-013.
    """

    opmod = 1


@dut_test(suites=("full",))
class create_numbers(HermonTest):
    """Every CQ number and every ring size can be created and serves.

    Stimulus: each number in turn, one CQE each; all sizes up to the maximum, the large ones never filled.
    Checks: HCQ-013, HCQ-032.
    """

    async def scenario(self) -> None:
        await start(self, ())
        for number in range(1 << int(self.host.knobs["NUM_CQ_LOG"])):
            cq = await create(self, number, log_size=1 + number % 3)
            await self.producer.burst(number, 1)
            await self.host.rest()
            cq.drain()
            await self.host.destroy(number, number % 2)
        for log_size in range(1, 1 + int(self.host.knobs["MAX_LOG_CQ"])):
            await self.host.command(Command.SW2HW, 1, 1, {"log_cq_size": log_size})
            await self.host.query(1)
            await self.host.destroy(1)


UNKNOWN = (
    *((0x15, 0), (0x19, 0), (0xFFF, 0), (0x118, 0)),
    *((0x16, 2), (0x17, 15), (0x18, 1), (0x2C, 4), (0x2C, 15)),
)
"""Opcodes and modifiers that are none."""


@dut_test(suites=("smoke", "full"))
class commands_refused(HermonTest):
    """A command that cannot be done fails and changes nothing, on no queue.

    Stimulus: all commands on queues never created, destroyed and out of range; unknown opcodes and modifiers;
    creation of a live queue while armed with unread CQEs; sizes above the maximum; traffic behind.
    Checks: HCQ-016/fails, HCQ-018, HCQ-019, HCQ-022, HCQ-023, HCQ-025.
    """

    async def scenario(self) -> None:
        cq, other = await start(self, (1, 2))
        await fill(self, cq, 3)
        await self.host.destroy(2)
        most, size = 1 << int(self.host.knobs["NUM_CQ_LOG"]), int(self.host.knobs["MAX_LOG_CQ"])
        fields = self.host.context(other.settings, other.ring, other.record)
        for command, opmod in COMMANDS:
            for number in (3, 2, most + 1, 1 << 23 | 1, 0):
                if command is not Command.SW2HW or number > most:
                    await self.host.command(command, number, opmod, fields)
        for opcode, opmod in UNKNOWN:
            await self.host.command(opcode, 1, opmod, fields)
        await cq.arm(Arm.ANY, cq.ci + 3)
        await self.host.command(Command.SW2HW, 1, 0, fields)
        for log_size in {size + 1, 31} - {size}:
            await self.host.command(Command.SW2HW, 2, 1, fields | {"log_cq_size": log_size})
            await self.host.command(
                Command.MODIFY, 1, Modify.RESIZE, ring_fields(other.ring) | {"log_cq_size": log_size}
            )
        await self.host.query(1)
        await fill(self, cq, 1)
        await await_event(self, cq)


@dut_test(suites=("full",))
class create_over_live(HermonTest):
    """A second creation of a live queue fails in every state, and the queue goes on.

    Stimulus: the queue idle, armed, with unread CQEs, fired and in error; a context with another ring.
    Checks: HCQ-016/fails, HCQ-016/kept, HCQ-025.
    """

    async def scenario(self) -> None:
        (cq,) = await start(self, (1,), log_size=2)
        spare = self.host.prepare(CqSettings(1, 3, eqn=2))

        async def again() -> None:
            fields = self.host.context(spare.settings, spare.ring, spare.record)
            await self.host.command(Command.SW2HW, 1, self.rng.randrange(2), fields)
            await self.host.query(1)

        await again()
        await cq.arm(Arm.ANY)
        await again()
        await fill(self, cq, 2)
        await again()
        await await_event(self, cq)
        await again()
        await overflow(self, cq)
        await again()
        await self.host.destroy(1)


@dut_test(suites=("full",))
class query_pure(HermonTest):
    """QUERY_CQ shows one instant and changes nothing.

    Stimulus: a query behind every step of two queues: requests, CQEs, events, moderation waits, overflow;
    queries under traffic.
    Checks: HCQ-020, HCQ-001, HCQ-007/armed.
    """

    async def scenario(self) -> None:
        plain, slow = await start(self, (1, 2), log_size=3)
        await self.host.moderate(2, 3, 0)
        await round_trip(self, slow, count=4)  # the first event may come one CQE late
        for cq in (plain, slow):
            for request in (Arm.ANY, Arm.SOLICITED, Arm.ANY):
                await self.host.query(cq.cqn)
                await cq.arm(request)
                await rest(self)
                await self.host.query(cq.cqn)
                for _ in range(3):
                    await self.producer.burst(cq.cqn, 1, solicited=True)
                    await self.host.query(cq.cqn)
                await await_event(self, cq)
                cq.drain()
        for _ in range(6):
            await self.producer.burst(1, 3)
            await self.host.query(1)
            plain.drain()
        await overflow(self, plain)
        await self.host.query(1)
        await self.host.query(1)


@dut_test(suites=("full",))
class modify_fields(HermonTest):
    """Each modifier of MODIFY_CQ changes its own fields and no other.

    Stimulus: moderation, event queue and overrun-ignore changed on idle, armed and unread queues; the rest of
    the mailbox 0 as drivers have it, then inverted.
    Checks: HCQ-021, HCQ-004, HCQ-083.
    """

    async def scenario(self) -> None:
        cqs = await start(self, (1, 2, 3), log_size=3)
        await cqs[1].arm(Arm.ANY)
        await fill(self, cqs[2], 3)
        wanted = {
            Modify.MODERATION: {"cq_max_count": 0x1234, "cq_period": 0xABC},
            Modify.EQN: {"c_eqn": 3},
            Modify.FLAGS: {"oi": 1},
        }
        for cq in cqs:
            for opmod, fields in wanted.items():
                await self.host.command(Command.MODIFY, cq.cqn, opmod, fields)
                await self.host.query(cq.cqn)
        others = {name: field(name).mask for name in names("sw") if name not in ("oi", "cc")}
        for opmod, fields in (wanted | {Modify.MODERATION: {"cq_max_count": 0, "cq_period": 0}}).items():
            await self.host.command(Command.MODIFY, 1, opmod, {**others, **fields})
            await self.host.query(1)
        await fill(self, cqs[1], 12)


@dut_test(suites=("smoke", "full"))
class before_init(HermonTest):
    """Before initialisation every command fails and touches no memory; afterwards the same one works.

    Stimulus: all commands before init_done, then a bring-up and a round.
    Checks: HCQ-024, HCQ-013, HCQ-045/fires.
    """

    async def scenario(self) -> None:
        image = encode({"log_cq_size": 3, "mtt_base_addr_l": 8})
        for command, opmod in COMMANDS:
            await self.host.command(command, 1, opmod, image=image)
        (cq,) = await start(self, (1,))
        await round_trip(self, cq)


@dut_test(suites=("full",))
class command_busy(HermonTest):
    """While a command runs go stays 1 and writes to the HCR are ignored; its result is there when go is 0.

    Stimulus: HCR registers written and go polled during a pre-fill of 1024 entries; then all commands in a
    row.
    Checks: HCQ-012/ready, HCQ-012/ignored, HCQ-119/commands.
    """

    async def scenario(self) -> None:
        await start(self, ())
        cq = self.host.prepare(CqSettings(1, 10))
        self.mem.write(self.host.inbox, encode(self.host.context(cq.settings, cq.ring, cq.record)))
        await self.host.begin(Command.SW2HW, 1)
        for name in ("HCR_IN_H", "HCR_IN_L", "HCR_MOD", "HCR_OUT_H", "HCR_OUT_L", "HCR_TOKEN"):
            await self.host.write(name, self.rng.getrandbits(32))
            await self.host.read(name)
        await self.host.write("HCR_CMD", 1 << 23 | Command.HW2SW)
        await self.host.end()
        self.host.cqs[1] = cq
        await round_trip(self, cq, count=3)
        for command, opmod in COMMANDS[2:]:
            await self.host.command(command, 1, opmod, self.host.context(cq.settings, cq.ring, cq.record))


@dut_test(suites=("full",))
class mailbox_ends(HermonTest):
    """HW2SW_CQ with modifier 0 writes the final image and with 1 nothing; neither touches what lies around.

    Stimulus: queues idle, armed, fired and in error given back with both modifiers.
    Checks: HCQ-017/ends, HCQ-017/image, HCQ-079, HCQ-106/writes.
    """

    async def scenario(self) -> None:
        for opmod in (0, 1):
            idle, armed, fired, failed = await start(self, (1, 2, 3, 4), log_size=2)
            await armed.arm(Arm.ANY)
            await round_trip(self, fired)
            await overflow(self, failed)
            for cq in (idle, armed, fired, failed):
                await self.host.destroy(cq.cqn, opmod)
            await reset(self)
