"""Commands of the software CQ engine."""

from __future__ import annotations

from ref_model.hermon_cq import context, ports
from ref_model.hermon_cq.endpoint.engine import (
    BAD_INDEX,
    BAD_OP,
    BAD_PARAM,
    BAD_RESOURCE,
    BAD_SIZE,
    BAD_STATE,
    BAD_SYS,
    EXCEED,
    ICM_ERROR,
    INTERNAL,
    OK,
    BusError,
    Engine,
    Refused,
)
from ref_model.hermon_cq.endpoint.state import MASK, EngineCq, signed

_RING = ("log_cq_size", "page_offset", "log2_page_size", "mtt_base_addr_h", "mtt_base_addr_l")
_OPMODS = {0x16: 2, 0x17: 2, 0x18: 1, 0x2C: 4}


class CommandEngine(Engine):
    """The engine with its commands."""

    def command(self) -> None:
        """Run the command in the HCR."""
        try:
            self.status = self.run_command()
        except Refused as refused:
            self.status = refused.status
        except BusError:
            self.status = INTERNAL
        self.values.clear_bits("HCR_CMD", 1 << 23)
        self.go_until = self.time

    def run_command(self) -> int:
        """Check and execute; returns the status."""
        values = self.values
        opcode, opmod = values.get("HCR_CMD", "opcode"), values.get("HCR_CMD", "opmod")
        number = values.get("HCR_MOD", "cqn")
        inbox = (values.word("HCR_IN_H") << 32 | values.word("HCR_IN_L")) & -64
        outbox = (values.word("HCR_OUT_H") << 32 | values.word("HCR_OUT_L")) & -64
        if opmod >= _OPMODS.get(opcode, 0):
            raise Refused(BAD_OP)
        if not values.get("CFG", "init_done"):
            raise Refused(BAD_SYS)
        if number >= 1 << int(self.knobs["NUM_CQ_LOG"]):
            raise Refused(BAD_INDEX)
        if number < int(self.knobs["RSVD_CQS"]):
            raise Refused(BAD_RESOURCE)
        cq = self.cqs.get(number)
        if (opcode == 0x16) == (cq is not None):
            raise Refused(BAD_STATE)
        if opcode == 0x16:
            return self.create(number, opmod, context.decode(self.read(inbox, 64)))
        assert cq is not None
        if opcode == 0x17:
            return self.destroy(cq, opmod, outbox)
        if opcode == 0x18:
            self.write(outbox, self.context_image(cq))
            return OK
        return self.modify(cq, opmod, context.decode(self.read(inbox, 64)))

    def create(self, number: int, opmod: int, fields: dict[str, int]) -> int:
        """SW2HW_CQ."""
        if fields["log_cq_size"] > int(self.knobs["MAX_LOG_CQ"]):
            raise Refused(EXCEED)
        if fields["st"] not in (0, 0xA):
            raise Refused(BAD_PARAM)
        start = self.values.get("DBG_INIT_IDX", "index")
        cq = EngineCq(number, fields, self.values.stride, self.values.mtt_base, start, start)
        cq.notified, cq.last_tick = start, self.ticks.count(self.time)
        if opmod == 0:
            self.fill(cq, start)
        self.cqs[number] = cq
        return OK

    def fill(self, cq: EngineCq, first: int) -> None:
        """Write the owner bits of an empty ring whose next index is ``first``."""
        for index in range(first, first + (1 if cq.values["cc"] else cq.size)):
            try:
                place = self.place(cq, index & MASK)
            except BusError as error:
                raise Refused(ICM_ERROR) from error
            byte = self.empty_owner(cq, index & MASK) << 7
            self.write(place + 24, bytes(7) + bytes([byte]), bytes(7) + b"\1")

    def empty_owner(self, cq: EngineCq, index: int) -> int:
        """Owner bit that an entry shows before CQE ``index`` is there."""
        return 1 ^ self.owner(cq, index)

    def destroy(self, cq: EngineCq, opmod: int, outbox: int) -> int:
        """HW2SW_CQ."""
        if opmod == 0:
            self.write(outbox, self.context_image(cq))
        del self.cqs[cq.number]
        return OK

    def context_image(self, cq: EngineCq) -> bytes:
        """Output image."""
        shown = {name: cq.values[name] for name in context.names("sw")}
        st = cq.st if cq.request is None else {1: 6, 2: 9, 3: 9}[cq.request.kind]
        return context.encode(
            {
                **shown,
                "st": st,
                "status": cq.status,
                "producer_counter": cq.pi,
                "consumer_counter": cq.ci,
                "solicit_producer_indx": cq.solicited or 0,
                "last_notified_indx": cq.notified,
            }
        )

    def modify(self, cq: EngineCq, opmod: int, fields: dict[str, int]) -> int:
        """MODIFY_CQ."""
        if cq.status:
            raise Refused(BAD_STATE)
        if opmod == 0:
            return self.resize(cq, fields)
        if opmod == 1:
            cq.values["cq_max_count"], cq.values["cq_period"] = fields["cq_max_count"], fields["cq_period"]
        elif opmod == 2:
            cq.values["c_eqn"] = fields["c_eqn"]
        else:
            cq.values["oi"] |= fields["oi"]
        return OK

    def resize(self, cq: EngineCq, fields: dict[str, int]) -> int:
        """MODIFY_CQ opmod 0."""
        if fields["log_cq_size"] > int(self.knobs["MAX_LOG_CQ"]):
            raise Refused(EXCEED)
        new = EngineCq(
            cq.number, {**cq.values, **{name: fields[name] for name in _RING}}, cq.stride, cq.mtt_base
        )
        if not cq.values["oi"]:
            self.refresh(cq)
            out = max(signed(cq.pi, cq.ci), 0)
            if out + 1 > new.size or out >= self.capacity(cq):
                raise Refused(BAD_SIZE)
        self.fill(new, cq.pi + 1)
        self.resize_cqe(cq)
        cq.values = new.values
        if self.knobs["RSZ_EVENT"] != 0:
            self.advance(cq, False)
        else:
            cq.pi = cq.pi + 1 & MASK
            cq.asleep = True
        return OK

    def resize_cqe(self, cq: EngineCq) -> None:
        """The special CQE in the old ring."""
        try:
            place = self.place(cq, cq.pi)
            self.write(place, bytes(31) + bytes([ports.OPCODE_RESIZE | self.owner(cq, cq.pi) << 7]))
        except BusError as error:
            raise Refused(ICM_ERROR) from error
