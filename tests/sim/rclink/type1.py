"""TYPE1: frames of all formats, delivery, acknowledgement."""

from __future__ import annotations

from tb.sequences.rclink import exchange, start
from tb.testcase import RclinkTest, dut_test


@dut_test(suites=("smoke", "full"))
class type1_standard(RclinkTest):
    """Packets go both ways in Standard frames, each delivered once and acknowledged.

    Stimulus: four queue pairs in four banks, 20 packets of random lengths each way, some with a quick ACK.
    Checks: RCL-001, RCL-039, RCL-041.
    """

    async def scenario(self) -> None:
        links = await start(self, (1, 2, 3, 8))
        await exchange(self, links, 20)
