"""The ERNIC host without a simulator: rings, entries, bring-up values, errors."""

from __future__ import annotations

import asyncio

import pytest

from ref_model.errors import UserError
from ref_model.registers import layout
from ref_model.rocev2.segment import Verb
from tb.host import Access, QpConfig, RegisterNames, WorkRequest
from tb.host.bringup import qpconf, timeoutconf
from tb.host.placement import GUARD_BYTES
from tb.host.ring import advance, index_value
from tb.host.wqe import build_wqe, parse_cqe
from tests.unit.host.fake import World


def test_index_form_a_over_laps() -> None:
    """Values run 1..depth; any position is found again from the value alone."""
    assert [index_value(total, 16) for total in (0, 1, 15, 16, 17, 32, 33)] == [0, 1, 15, 16, 1, 16, 1]
    for depth in (16, 64):
        for total in range(200):
            for new in range(depth):
                assert advance(total, index_value(total + new, depth), depth) == total + new


def test_wqe_bytes() -> None:
    """Field positions of the 64-byte entry, little-endian."""
    data = build_wqe(
        0x1234, 0x0C, 0x1122334455667788, 0x99, 0xA1B2C3D4E5F60718, 0xCAFEBABE, b"abc", 0x01020304
    )
    assert len(data) == 64
    assert data[0:2] == b"\x34\x12"
    assert data[4:12] == bytes.fromhex("8877665544332211")
    assert data[12:16] == b"\x99\0\0\0"
    assert data[16] == 0x0C
    assert data[20:28] == bytes.fromhex("1807f6e5d4c3b2a1")
    assert data[28:32] == bytes.fromhex("bebafeca")
    assert data[32:48] == b"abc" + bytes(13)
    assert data[48:52] == b"\x04\x03\x02\x01"


def test_wqe_and_cqe_errors() -> None:
    """Values that do not fit are one clear error; a completion entry is read by its fields."""
    with pytest.raises(UserError, match="inline"):
        build_wqe(0, 0, 0, 0, sdata=bytes(17))
    with pytest.raises(UserError, match="WQE"):
        build_wqe(1 << 16, 0, 0, 0)
    completion = parse_cqe(b"\x34\x12\x02\x01")
    assert (completion.wrid, completion.opcode, completion.error) == (0x1234, 2, True)


def test_bring_up_enables_last() -> None:
    """Global enable and queue pair enable are the last writes; everything before leaves them 0."""
    world = World()
    asyncio.run(world.host.open())
    names = world.host.names
    assert world.device.writes[-1][0] == names.address("XRNICCONF")
    asyncio.run(world.host.create_qp(QpConfig(2)))
    assert world.device.writes[-1] == (names.address("QPCONF", 2), qpconf(QpConfig(2)))
    assert world.device.values[names.address("QPCONF", 2)] & 1


def test_configuration_values() -> None:
    """Register words against values worked out by hand."""
    config = QpConfig(2, pmtu=1024, element=512, ip_version=6, timeout=20, retry=3, rnr_retry=1, rnr_code=2)
    assert qpconf(config) == 0x0002_02B1
    assert timeoutconf(config) == 0x0002_0B14


def test_qp_base_modes() -> None:
    """Queue pair 2 sits in slot 1 or 2."""
    doc, raw = RegisterNames(layout("ernic")), RegisterNames(layout("ernic"), True)
    assert doc.address("QPCONF", 2) == 0x18_0100
    assert raw.address("QPCONF", 2) == 0x18_0200
    assert doc.address("BUFRKEY", 3) == 0x314
    assert doc.address("CQINTSTS", 2) == 0x10_0298


@pytest.mark.parametrize(
    ("name", "index", "text"),
    [
        ("NOSUCH", None, "NOSUCH"),
        ("QPCONF", None, "needs"),
        ("XRNICCONF", 1, "no index"),
        ("QPCONF", 0, "does not exist"),
    ],
)
def test_register_name_errors(name: str, index: int | None, text: str) -> None:
    """A wrong name or index is one clear error."""
    with pytest.raises(UserError, match=text):
        RegisterNames(layout("ernic")).address(name, index)


def test_three_laps_of_the_send_ring() -> None:
    """Never more than depth - 1 entries in flight; doorbell values and completions follow the ring."""
    world = World()
    host = world.host

    async def scenario() -> list[int]:
        await host.open()
        qp = await host.create_qp(QpConfig(2))
        world.auto = True
        wrids = await host.post_send(qp, *[WorkRequest(Verb.SEND, bytes([n])) for n in range(50)])
        await host.wait_completions(qp)
        return wrids

    wrids = asyncio.run(scenario())
    qp = host.qps[2]
    assert [c.wrid for c in qp.completions] == wrids
    doorbells = [v for a, v in world.device.writes if a == host.names.address("SQPI", 2)]
    assert doorbells == [15, 14, 13, 2]


def test_receive_ring() -> None:
    """Elements come in order; a whole lap is freed in two writes."""
    world = World()
    host = world.host

    async def scenario() -> None:
        await host.open()
        qp = await host.create_qp(QpConfig(3, rq_depth=16, element=256))
        memory = host.qp_memory[3]
        world.memory.write(memory.rq_doorbell, (5).to_bytes(4, "little"))
        slots = await host.poll_recv(qp)
        assert [s.addr for s in slots] == [memory.rq + 256 * n for n in range(5)]
        await host.free_recv(qp, 16)
        values = [v for a, v in world.device.writes if a == host.names.address("RQCI", 3)]
        assert values == [15, 16]

    asyncio.run(scenario())


def test_areas_are_poisoned_and_apart() -> None:
    """Rings start full of random bytes and have guards on both sides."""
    world = World()
    asyncio.run(world.host.open())
    asyncio.run(world.host.create_qp(QpConfig(2)))
    memory = world.host.qp_memory[2]
    for addr, size in ((memory.sq, 16 * 64), (memory.rq, 16 * 4096), (memory.cq, 64)):
        assert world.memory.read(addr, size).count(0) < size // 16
        assert world.memory.read(addr - GUARD_BYTES, GUARD_BYTES).count(0) < 16
        assert world.memory.read(addr + size, GUARD_BYTES).count(0) < 16


def test_regions() -> None:
    """Row, key, length split and access code of a region; clearing it."""
    world = World()
    host = world.host

    async def scenario() -> None:
        mr = await host.register_mr(
            5, (3 << 32) | 0x1000, row=4, tag=0xAB, va=1 << 40, addr=0x5000, access=Access.WRITE
        )
        assert mr.rkey == 0x4AB
        assert await host.read("ACCESSDESC", 4) == 0x0003_0001
        assert await host.read("WRRDBUFLEN", 4) == 0x1000
        assert await host.read("VIRTADDRMSB", 4) == 0x100
        await host.deregister_mr(mr)
        assert await host.read("WRRDBUFLEN", 4) == 0
        with pytest.raises(UserError, match="colour"):
            await host.register_mr(5, 64, colour="red")

    asyncio.run(scenario())


def test_waiting_ends_with_a_reason() -> None:
    """A device that never completes raises TimeoutError naming what was awaited."""
    world = World()

    async def scenario() -> None:
        await world.host.open()
        qp = await world.host.create_qp(QpConfig(2))
        await world.host.post_send(qp, WorkRequest(Verb.SEND, b"x"))
        await world.host.wait_completions(qp, limit_ps=5_000_000)

    with pytest.raises(TimeoutError, match="completion 1 of QP 2"):
        asyncio.run(scenario())


@pytest.mark.parametrize("wrong", [{"pmtu": 300}, {"element": 100}, {"sq_depth": 1}, {"ip_version": 5}])
def test_qp_config_rejects(wrong: dict) -> None:
    """Settings the device cannot hold are one clear error; so is a second queue pair of the same number."""
    with pytest.raises(UserError, match="QP 2"):
        QpConfig(2, **wrong)
    world = World()
    world.host.prepare_qp(QpConfig(2))
    with pytest.raises(UserError, match="exists already"):
        world.host.prepare_qp(QpConfig(2))
