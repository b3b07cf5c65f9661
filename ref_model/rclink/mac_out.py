"""Frames to the MAC: what each is, whose it is, and whether its bytes, order and moment are right."""

from __future__ import annotations

from collections import deque
from dataclasses import replace
from typing import TYPE_CHECKING

from ref_model.events import FrameOut
from ref_model.rclink import frames
from ref_model.rclink.config import Device, Flow, QpConfig
from ref_model.rclink.context import MAC_PATH
from ref_model.wire.rclink import Format, Frame, Kind, Opcode, ParseError, Reason, build
from ref_model.wire.rclink import parse as parse_frame
from ref_model.wire.rclink.rh import KIND_BITS, NAK

if TYPE_CHECKING:
    from ref_model.rclink.client import Client
    from ref_model.rclink.nonr import RawEthernet
    from ref_model.rclink.qp import Qp, Shared
    from ref_model.rclink.rates import Rates
    from ref_model.rclink.sending import Packet


#: LITE frames remembered, to tell one that is sent again.
LEFT = 32


class MacOut:
    """Judges TX2MAC, and keeps the account of MAC credits."""

    def __init__(self, shared: Shared, client: Client, rates: Rates, raw: RawEthernet) -> None:
        self._ctx = ctx = shared.ctx
        self._shared = shared
        self._client = client
        self._rates = rates
        self._raw = raw
        self._judge = frames.FrameJudge(ctx)
        self._beat = int(ctx.knobs["MAC_DW"]) // 8
        self._initial = int(ctx.knobs["MAC_TX_CRD_INIT"])
        self._per_beat = ctx.knobs["UNIT"] == "BEAT"
        self.reset()

    def reset(self) -> None:
        """Full credit, nothing sent."""
        self.credits = self._initial
        self.busy_until = 0
        self._left: deque[bytes] = deque(maxlen=LEFT)  # payloads of LITE frames
        self._resets: set[str] = set()  # of credits, since the last frame
        self.restarted = False  #: the MAC was reset with packets in hand, and nothing was sent since

    # -- MAC credits ------------------------------------------------------------------------------

    def credit(self, now: int) -> None:
        """One MAC credit came back."""
        self.credits += 1
        self._hold(now)

    def credit_reset(self, now: int) -> None:
        """MAC credit is whole again."""
        self.credits = self._initial
        self._hold(now)
        self._restart("mac")

    def credit_wiped(self) -> None:
        """The credit of the channels is gone."""
        self._restart("channels")

    def _restart(self, credit: str) -> None:
        """A MAC that is reset says so by resetting both of its credits."""
        self._resets.add(credit)
        if len(self._resets) == 2 and self._shared.book.open:
            self.restarted = True
            self._shared.gates.again()

    def _hold(self, now: int) -> None:
        self._ctx.hold("mac credit", now, self.credits <= 0)

    def _spend(self, event: FrameOut) -> None:
        """A frame uses its credits; without one it must not begin."""
        ctx = self._ctx
        beats = -(-len(event.data) // self._beat)
        if self.credits <= 0:
            ctx.rules.fail("RCL-093", "no frame", f"{beats} beats", "no MAC credit is left", ctx.mac)
        else:
            ctx.rules.met("RCL-093", "a MAC credit was there", ctx.mac, sure=self.credits <= beats)
        self.credits -= beats if self._per_beat else 1
        self._hold(event.begin)
        if event.settled - event.begin > (beats - 1) * ctx.timing.period:
            ctx.hold("frame under way", event.begin, True)
            ctx.deadlines.call_at(event.settled, lambda: ctx.hold("frame under way", event.settled, False))
        self.busy_until = event.settled

    # -- frames -----------------------------------------------------------------------------------

    def frame(self, event: FrameOut) -> None:
        """Judge one frame."""
        ctx = self._ctx
        ctx.sample()
        self._resets.clear()
        self._spend(event)
        layout = ctx.device.layout
        if layout is None or self._raw.tx.expects(event.data):
            self._type3(event)
            return
        problem = False
        try:
            frame = parse_frame(event.data, layout)
        except ParseError as error:
            frame, problem = error.partial, error.reason is not Reason.ICRC
        if ctx.device.lite and self._answers_in_lite(frame, event):
            return
        kind = self._kind(frame, event)
        if kind is Kind.TYPE3:
            self._type3(event)
        elif kind is Kind.TYPE2:
            self._type2(event, frame)
        elif frame.rh is not None and frame.rh.opcode == Opcode.ACK and not problem:
            self._answer(event, frame)
        elif frame.rh is not None and frame.rh.opcode == Opcode.CNP and not problem:
            self._cnp(event, frame)
        else:
            self._request(event, frame)
        self._shared.book.last_frame = ctx.clock_at(event.settled)

    def _kind(self, frame: Frame, event: FrameOut) -> Kind:
        """What a frame is: by its bytes, and where they say nothing by what stands beside it."""
        if frame.kind is not Kind.TYPE3:
            return frame.kind
        hdr_type, multicast = event.user[2], event.user[3]
        assert self._ctx.device.layout is not None
        if multicast and self._client.type2:
            return Kind.TYPE2
        named = hdr_type == self._ctx.device.layout.format and hdr_type != Format.STANDARD
        if (named or not self._raw.tx.pending) and self._shared.book.open:
            return Kind.TYPE1
        return Kind.TYPE3

    def _answers_in_lite(self, frame: Frame, event: FrameOut) -> bool:
        """Tell an ACK, NAK or CNP by its channel, since nothing else of LITE goes there."""
        ctx = self._ctx
        answers = frame.kind is Kind.TYPE3 and event.user[0] == ctx.device.vcs[Flow.ACK]
        if answers:
            ctx.rules.fail("RCL-107", "no answer", event.data, "LITE acknowledges nothing", ctx.mac)
        return answers

    def _configurations(self, qp: Qp | None) -> list[tuple[Device, QpConfig | None]]:
        """Configurations a frame of now may have been built by, the latest first."""
        ctx = self._ctx
        devices = [ctx.device]
        if ctx.former is not None and not ctx.late(ctx.former_until):
            devices.append(ctx.former)
        configs = [None if qp is None else qp.config]
        if qp is not None and qp.former is not None and ctx.now <= qp.changed + ctx.timing.reaction:
            configs.append(qp.former)
        return [(device, config) for device in devices if device.layout for config in configs]

    # -- requests ---------------------------------------------------------------------------------

    def _request(self, event: FrameOut, frame: Frame) -> None:
        ctx = self._ctx
        found = self._whose(frame)
        if ctx.device.lite and frame.payload in self._left and not self._shared.book.find(frame.payload):
            ctx.rules.fail("RCL-107", "no frame", frame, "this packet has left before", ctx.mac)
            return
        if found is None or (
            found[1].payload != frame.payload and self._client.dropped_with(frame.payload) is not None
        ):
            self._stranger(event, frame)
            return
        qp, packet = found
        qp.scope.note(ctx.now, "out", frame)
        lite = ctx.device.lite
        rh = frame.rh
        index = packet.index if rh is None else qp.sending.state.index_of(rh.psn)
        again = packet.sends > 0
        flow = ctx.device.bank(qp.number)
        if self._judge.side(frames.side_of(ctx.device, flow), event.user, vc_rule="RCL-063"):
            several = int(ctx.knobs["TYPE1_VC_NUM"]) > 1
            ctx.rules.met("RCL-063", "VC of the bank by the low bits of the QP", ctx.mac, sure=several)
        self.order(qp, flow, packet if lite else qp.sending.state.packets.get(index, packet))
        actual = qp.requester.sent(index, packet, event.settled)
        if actual is None:
            actual = packet
        good = self._compare(event, frame, qp, actual, again)
        self._shared.gates.left(flow, len(event.data))
        self._rates.sent(qp, len(actual.payload), again)
        if rh is not None and rh.ts_en:
            self._shared.book.stamped(rh.timestamp, event.begin, qp.scope)
        length = len(actual.payload) if ctx.knobs["NOCNP_BYTES"] == "PAYLOAD" else len(event.data)
        qp.notices.counted(length)
        if lite:
            self._left.append(actual.payload)
            qp.requester.sent_lite(actual)
        qp.sending.schedule()
        if good:
            ctx.rules.alive(MAC_PATH)
            if self.restarted:
                self.restarted = False
                ctx.rules.met("RCL-127", "goes on after a downstream reset", ctx.mac)

    def order(self, qp: Qp, flow: Flow, packet: Packet) -> None:
        """Judge that a request goes before those that wait."""
        self._shared.gates.served(flow)
        self._shared.arbiter.remove(qp.number)
        self._shared.arbiter.went(qp.number, flow, packet.age)

    def _whose(self, frame: Frame) -> tuple[Qp, Packet] | None:
        """Queue pair and packet of a request: by its payload, else by the peer it names."""
        book, rh = self._shared.book, frame.rh
        found = book.find(frame.payload)
        if rh is None:
            return self._next_of(found) or self._oldest()
        peers = self._shared.peers.get(rh.dest_qp, {})
        if found:
            same = [entry for entry in found if entry[0].number in peers] or found
            exact = [entry for entry in same if entry[0].sending.state.psn(entry[1].index) == rh.psn]
            return exact[0] if exact else self._next_of(same) or same[0]
        for qp in peers.values():
            packet = qp.sending.state.packets.get(qp.sending.state.index_of(rh.psn))
            if packet is not None:
                return qp, packet
        return self._oldest() if not peers else None

    @staticmethod
    def _next_of(found: list[tuple[Qp, Packet]]) -> tuple[Qp, Packet] | None:
        """The first of ``found`` that its queue pair sends next."""
        for qp, packet in found:
            if packet.index == qp.sending.state.next:
                return qp, packet
        return found[0] if found else None

    def _oldest(self) -> tuple[Qp, Packet] | None:
        """The packet that should have gone, where a frame tells nothing of itself."""
        waiting = [qp for qp in self._shared.qps.values() if qp.sending.waiting() is not None]
        if not waiting:
            return None
        entries = [(qp, qp.sending.state.packets[qp.sending.waiting() or 0]) for qp in waiting]
        return min(entries, key=lambda entry: entry[1].age)

    def _stranger(self, event: FrameOut, frame: Frame) -> None:
        """A request nobody gave to the DUT, or that it had to drop."""
        ctx = self._ctx
        dropped = self._client.dropped_with(frame.payload)
        if dropped is not None:
            ctx.rules.fail(dropped.rule, "a dropped packet", frame, dropped.why, ctx.mac)
            return
        if len(frame.payload) > ctx.device.type1_len:
            ctx.rules.fail("RCL-119", "no frame", frame, "above the largest payload", ctx.mac)
            return
        name = "RCL-107" if ctx.device.lite else "RCL-037"
        ctx.rules.fail(name, "no frame", frame, "nobody gave this packet", ctx.mac)

    def _compare(self, event: FrameOut, frame: Frame, qp: Qp, packet: Packet, again: bool) -> bool:
        ctx = self._ctx
        timestamp = frame.rh.timestamp if frame.rh is not None else 0
        psn = qp.sending.state.psn(packet.index)
        choices = []
        for device, config in self._configurations(qp):
            assert config is not None
            expected = frames.request(device, config, qp.number, psn, packet.fack, timestamp, packet.payload)
            choices.append((device, expected))
        if again and frame.payload != packet.payload:
            why = "payload as the first time"
            ctx.rules.fail("RCL-045", packet.payload, frame.payload, why, qp.scope)
            return False
        return self._decide(choices, frame, event, "a request")

    def _decide(self, choices: list[tuple[Device, Frame]], frame: Frame, event: FrameOut, why: str) -> bool:
        """Judge by the first configuration that fits; the latest one where none does."""
        if len(choices) > 1:
            for device, expected in choices[1:]:
                assert device.layout is not None
                free = replace(expected, icrc=frame.icrc if device.layout.icrc else None)
                if build(free, device.layout) == event.data:
                    return self._judge.judge(device, expected, frame, event.data, why)
        device, expected = choices[0]
        return self._judge.judge(device, expected, frame, event.data, why)

    # -- answers and notifications ----------------------------------------------------------------

    def _answerer(self, frame: Frame, pending: str) -> Qp | None:
        """Queue pair an ACK, NAK or CNP comes from: by the peer it names, one that owes it first."""
        assert frame.rh is not None
        peers = list(self._shared.peers.get(frame.rh.dest_qp, {}).values())
        owing = [
            qp for qp in peers if (qp.responder.answers.owes if pending == "answer" else qp.notices.owed)
        ]
        chosen = owing or [qp for qp in peers if qp.config.enabled] or peers
        if chosen:
            same = [qp for qp in chosen if qp.config.key_tx == frame.rh.pkey] or chosen
            return same[0]
        everyone = self._shared.qps.values()
        return next((qp for qp in everyone if qp.responder.answers.owes or qp.notices.owed), None)

    def _answer(self, event: FrameOut, frame: Frame) -> None:
        ctx, rh = self._ctx, frame.rh
        assert rh is not None
        qp = self._answerer(frame, "answer")
        if qp is None or ctx.device.lite:
            rule = "RCL-107" if ctx.device.lite else "RCL-094"
            ctx.rules.fail(rule, "no answer", frame, "no request asks for it", ctx.mac)
            return
        qp.scope.note(ctx.now, "out", frame)
        code = rh.code or 0
        timestamp = rh.timestamp if rh.ts_en else None
        choices = []
        for device, config in self._configurations(qp):
            assert config is not None
            choices.append((device, frames.answer(device, config, rh.psn, code, timestamp)))
        if not rh.ts_en and rh.timestamp:
            ctx.rules.fail("RCL-019/ack", 0, rh.timestamp, "no timestamp without its flag", qp.scope)
        good = self._decide(choices, frame, event, "an answer")
        if self._judge.side(frames.side_of(ctx.device, Flow.ACK), event.user, vc_rule="RCL-088"):
            ctx.rules.met("RCL-088", "flow of ACK and CNP", ctx.mac)
        self._shared.gates.left(Flow.ACK, len(event.data))
        before = ctx.rules.findings_total
        qp.responder.answer(rh.psn, code, rh.ts_en, rh.timestamp)
        if good and ctx.rules.findings_total == before:
            ctx.rules.alive(MAC_PATH)
            ctx.rules.alive(("answers", qp.number))
            if code & KIND_BITS == NAK:
                ctx.rules.alive(("nak", qp.number))

    def _cnp(self, event: FrameOut, frame: Frame) -> None:
        ctx = self._ctx
        qp = self._answerer(frame, "cnp")
        if qp is None or ctx.device.lite:
            rule = "RCL-107" if ctx.device.lite else "RCL-099"
            ctx.rules.fail(rule, "no CNP", frame, "no request was marked", ctx.mac)
            return
        choices = []
        for device, config in self._configurations(qp):
            assert config is not None
            choices.append((device, frames.notification(device, config)))
        good = self._decide(choices, frame, event, "a CNP")
        if self._judge.side(frames.side_of(ctx.device, Flow.ACK), event.user, vc_rule="RCL-088"):
            ctx.rules.met("RCL-088", "flow of ACK and CNP", ctx.mac)
        self._shared.gates.left(Flow.ACK, len(event.data))
        qp.notices.notified()
        if good:
            ctx.rules.alive(MAC_PATH)

    # -- TYPE2 and TYPE3 --------------------------------------------------------------------------

    def _type2(self, event: FrameOut, frame: Frame) -> None:
        ctx, waiting = self._ctx, self._client.type2
        if not waiting:
            dropped = self._client.dropped_with(frame.payload)
            rule, why = (dropped.rule, dropped.why) if dropped else ("RCL-062", "nobody gave this packet")
            if frame.format in (Format.GEN1, Format.GEN2) and not event.user[3]:
                rule, why = "RCL-132", "the EtherType of TYPE2 on a frame that is no multicast"
            ctx.rules.fail(rule, "no TYPE2 frame", frame, why, ctx.mac)
            return
        same = [entry for entry in waiting if entry.payload == frame.payload]
        entry = same[0] if same else waiting[0]
        choices = [
            (device, frames.multicast(device, entry.group, entry.payload, frame.rh))
            for device, _ in self._configurations(None)
        ]
        good = self._decide(choices, frame, event, "a TYPE2 frame")
        self._judge.side(frames.side_of(ctx.device, Flow.TYPE2), event.user)
        self._shared.gates.left(Flow.TYPE2, len(event.data))
        self._rates.type2_sent(len(entry.payload))
        self._client.type2_left(entry)
        if good:
            ctx.rules.alive(MAC_PATH)

    def _type3(self, event: FrameOut) -> None:
        ctx = self._ctx
        vc = ctx.device.vcs[Flow.TYPE3]
        self._judge.side(frames.Side(vc, 1 << vc, 0, 0, 0, 1, 0), event.user, raw=True)
        self._shared.gates.left(Flow.TYPE3, len(event.data))
        if self._raw.tx.sent(event):
            ctx.rules.alive(MAC_PATH)
