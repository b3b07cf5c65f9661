"""Token client without a simulator."""

from __future__ import annotations

from collections.abc import Coroutine
from typing import Any

import pytest

from ref_model.errors import UserError
from ref_model.events import SideBand
from tb.agents.tokens import TokenClient

ONE, TWO = 1, 8


class Port:
    """Takes packets."""

    def __init__(self) -> None:
        self.sent: list[bytes] = []
        self.input_idle = True

    def send_nowait(self, data: bytes, good: bool = True, user: tuple[int, ...] = ()) -> None:
        self.sent.append(data)


def step(task: Coroutine[Any, Any, None]) -> bool:
    """Run until it ends or waits; whether it ended."""
    try:
        task.send(None)
    except StopIteration:
        return True
    return False


def pulse(bits: int) -> SideBand:
    return SideBand(0, 0, "tx_s_crd", (bits, 0, 0))


@pytest.fixture
def port() -> Port:
    return Port()


@pytest.fixture
def client(port: Port) -> TokenClient:
    return TokenClient(port, {ONE: 1, TWO: 0})  # type: ignore[arg-type]


def test_a_token_is_worth_one_packet(client: TokenClient, port: Port) -> None:
    assert step(client.send(ONE, b"a", ()))
    waiting = client.send(ONE, b"b", ())
    assert not step(waiting)
    assert port.sent == [b"a"] and not client.idle
    waiting.close()


def test_tokens_come_back_by_kind(client: TokenClient, port: Port) -> None:
    client.returned(pulse(ONE | TWO))
    client.returned(pulse(ONE))
    assert client.tokens == {ONE: 3, TWO: 1}
    assert step(client.send(TWO, b"m", ()))
    assert client.tokens == {ONE: 3, TWO: 0} and port.sent == [b"m"]


def test_over_credit_spends_nothing(client: TokenClient, port: Port) -> None:
    assert step(client.send(TWO, b"m", (), credit=False))
    assert port.sent == [b"m"] and client.tokens == {ONE: 1, TWO: 0}


def test_reset_gives_all_tokens_back(client: TokenClient) -> None:
    assert step(client.send(ONE, b"a", ()))
    client.reset()
    assert client.tokens == {ONE: 1, TWO: 0}


def test_unknown_kind(client: TokenClient) -> None:
    with pytest.raises(UserError, match="token kind 2, allowed are 1, 8"):
        step(client.send(2, b"a", ()))
