"""The codec benchmark: its rows, and a floor far below what is measured, for loaded machines."""

from __future__ import annotations

import pytest

from tb.bench import codec


def test_rows(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """Each row has value, unit, the scapy baseline and a ratio; the codec is many times faster than scapy."""
    monkeypatch.setattr(codec, "_SECONDS", 0.02)
    rows = codec.run()
    assert [set(row) for row in rows] == [{"name", "value", "unit", "baseline", "ratio"}] * len(rows)
    assert all(row["unit"] == "frames/s" and row["ratio"] > 10 for row in rows)
    codec.main()
    assert len(capsys.readouterr().out.splitlines()) == 1 + len(rows)
