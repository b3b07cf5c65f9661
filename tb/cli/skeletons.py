"""Texts of ``rdma-dv new-test`` and ``new-dut``."""

from __future__ import annotations

from typing import Any

_HEAD = '''"""{title}: what the tests of this file have in common."""

from __future__ import annotations

'''

TESTS = {
    "ernic": _HEAD
    + '''from ref_model.rocev2.segment import Verb
from tb.sequences.start import start
from tb.sequences.traffic import post_all, request
from tb.testcase import ErnicTest, dut_test


@dut_test(suites=("full",))
class {name}(ErnicTest):
    """A SEND of 64 bytes arrives and completes (replace: the behaviour in words, one line).

    Stimulus: one SEND of 64 random bytes on one queue pair.
    Checks: ERN-053, ERN-062, ERN-071 (replace: the rules this test is there for).
    """

    async def scenario(self) -> None:
        link = await start(self, pmtu=1024)
        await post_all(self, link, [request(self.rng, Verb.SEND, 64)])
''',
    "rclink": _HEAD
    + '''from tb.sequences.rclink import payload, start
from tb.testcase import RclinkTest, dut_test


@dut_test(suites=("full",))
class {name}(RclinkTest):
    """A packet of 64 bytes is sent and frees its slot (replace: the behaviour in words, one line).

    Stimulus: one TYPE1 packet of 64 random bytes on one queue pair, answered by the partner.
    Checks: RCL-037, RCL-041 (replace: the rules this test is there for).
    """

    async def scenario(self) -> None:
        (link,) = await start(self, (1,))
        await self.host.send(link.number, payload(self.rng, 64))
''',
    "hermon_cq": _HEAD
    + '''from tb.host.hermon import Arm
from tb.sequences.hermon import fill, start
from tb.testcase import HermonTest, dut_test


@dut_test(suites=("full",))
class {name}(HermonTest):
    """A completion is written and announced (replace: the behaviour in words, one line).

    Stimulus: a request for any event, then one good report.
    Checks: HCQ-036, HCQ-059 (replace: the rules this test is there for).
    """

    async def scenario(self) -> None:
        (cq,) = await start(self, (1,))
        await cq.arm(Arm.ANY)
        await fill(self, cq, 1)
        await self.host.eqs.handle()
        cq.drain()
''',
}
"""Test files by target; ``name`` in snake_case and ``title`` in words are put in."""

OPEN_KNOBS: dict[str, dict[str, Any]] = {
    "ernic": {"M_RULES": "report"},  # rules that rest on a proposal only are logged, not judged
}
"""Knobs a binding of foreign RTL begins with, where the default knob set would judge too much."""

BINDING = """# Binding of {name}: which RTL is the DUT and how it is judged.
# File names count from this directory; ${{ROOT}} is the rdma-dv tree, other ${{NAMES}} come from
# environment variables.
target = "{target}"
top = "{top}"
clock_period_ps = {period}                 # period of the data clocks
SETTLE = 64                            # clocks until a register write or an input must have taken effect
PIPE_OUT = 256                         # clocks an output may have waited in a queue of the DUT
time_limit_s = 600                     # CPU time of a run, a quarter of what it may last; at it, inconclusive
knob_set = "default"                   # takes nothing for granted that the specification leaves open

[hdl]
sources = [
    # "${{VENDOR_RTL}}/core.sv",
    "{adapter}",
{bench}
]
include_dirs = ["${{ROOT}}/tb/hdl"]
defines = {{ {macro}_DIRECT = 1 }}          # the top instantiates {target} as the adapter has it

{fast}

{parameters}

[knobs]                                # what is known about this core (rdma-dv list --dut {target} --knobs)
{knobs}
"""
