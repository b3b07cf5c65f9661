"""What permits a flow or a queue pair to send: credits, software stop, pause, rate."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ref_model.rclink import ports
from ref_model.rclink.config import BANKS, FLOWS, Flow
from ref_model.rclink.credits import CELL, signed

if TYPE_CHECKING:
    from ref_model.rclink.endpoint.core import Endpoint

NS = 1000


class Regulator:
    """Credit counters by virtual channel and byte counters by queue pair of one endpoint."""

    def __init__(self, endpoint: Endpoint) -> None:
        self.endpoint = endpoint
        self.channels: dict[int, tuple[int, int, int]] = {}  # size, limit, overhead of loaded channels
        self.credit = [0] * 8
        self.cells = int(endpoint.knobs["TYPE2_CRD_RST_NUM"])
        self.paused = 0
        self.rates: dict[int, int] = {}
        self.counts: dict[int, int] = {}
        self.masks: dict[int, bool] = {}  # without a rate a queue pair is masked
        self.type2_rate: int | None = None
        self.type2_count = 0
        self.window_end = 0

    # -- credits ----------------------------------------------------------------------------------

    def load(self, bits: int, size: int, limit: int, ovhd: int) -> None:
        """Configure the channels in ``bits``."""
        for vc in range(8):
            if bits >> vc & 1:
                self.channels[vc] = (size, limit, signed(ovhd))
                self.credit[vc] = limit

    def give(self, bits: int, num: int) -> None:
        """Credits come back."""
        for vc in range(8):
            if bits >> vc & 1:
                self.credit[vc] = min(self.credit[vc] + num, self.channels[vc][1])

    def wipe(self) -> None:
        """CBFC reset."""
        self.channels.clear()
        self.credit = [0] * 8

    def need(self, vc: int, length: int) -> int:
        """Credits of a frame of ``length`` bytes."""
        size, _, ovhd = self.channels[vc]
        return max(1, -(-(length + ovhd) // size))

    def flow_open(self, flow: Flow) -> bool:
        """Return whether ``flow`` may send now."""
        device = self.endpoint.device
        vc = device.vcs[flow]
        if device.pause_in[flow] and self.paused >> vc & 1:
            return False
        if flow is Flow.TYPE2 and device.multicast_credit and self.cells < -(-device.largest[flow] // CELL):
            return False
        if device.credit_stop:
            return True
        if not device.vc_status >> vc & 1:
            return False
        if not device.credit_check[flow]:
            return True
        return vc in self.channels and self.enough(flow, vc)

    def enough(self, flow: Flow, vc: int) -> bool:
        """Return whether the credit of a checked flow reaches its limit."""
        device = self.endpoint.device
        most = self.need(vc, device.largest[flow])
        if device.dynamic and flow in BANKS:
            return self.credit[vc] >= most
        return self.credit[vc] >= device.credit_limits[flow] * most

    def sent(self, flow: Flow, length: int) -> None:
        """A frame of ``length`` bytes was granted."""
        device = self.endpoint.device
        vc = device.vcs[flow]
        if flow is Flow.TYPE2 and device.multicast_credit:
            self.cells -= -(-length // CELL)
        if not device.credit_stop and device.credit_check[flow]:
            self.credit[vc] -= self.need(vc, length)

    def shown(self) -> int:
        """DFX_CBFC_CF_O."""
        vcs = self.endpoint.device.vcs
        return sum(min(self.credit[vcs[flow]], 0xFFFF) << 16 * flow for flow in FLOWS)

    # -- rate -------------------------------------------------------------------------------------

    def exceeded(self, count: int, rate: int) -> bool:
        """Return whether a count masks its queue pair."""
        return count >= rate

    def set_rate(self, number: int, rate: int) -> None:
        """New threshold of a queue pair."""
        self.rates[number] = rate
        self.check(number)

    def check(self, number: int) -> None:
        """Follow the mask of a queue pair, told on CC SET and CLR."""
        masked = self.exceeded(self.counts.get(number, 0), self.rates.get(number, 0))
        if self.masks.get(number, True) == masked:
            return
        self.masks[number] = masked
        self.endpoint.pulse(ports.CC_QP_EN, int(not masked), int(masked), number)

    def masked(self, number: int) -> bool:
        """Return whether the rate of a queue pair is used up."""
        return self.masks.get(number, True)

    def count(self, number: int, length: int) -> None:
        """Payload bytes of a queue pair were granted."""
        self.counts[number] = self.counts.get(number, 0) + length
        self.check(number)

    def advance(self, now: int) -> None:
        """End the windows that are over."""
        length = self.endpoint.device.window_ns * NS
        while self.window_end <= now:
            self.window_end += length
            for number, count in self.counts.items():
                if count:
                    self.counts[number] = max(count - self.rates.get(number, 0), 0)
                    self.check(number)
            self.type2_count = max(self.type2_count - (self.type2_rate or 0), 0)
