"""Header fields and byte strings in words, and the comparison of two frames by their fields."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping

_SHOWN_BYTES = 16

Difference = tuple[str, str, str]
"""Field, expected, observed."""


def hex_text(digits: int) -> Callable[[int], str]:
    """Formatter of integers as hex with that many digits."""
    return lambda value: f"0x{value:0{digits}x}"


def bytes_text(value: bytes, start: int = 0) -> str:
    """Length and up to 16 bytes from `start` on."""
    if not value:
        return "0 bytes"
    piece = value[start : start + _SHOWN_BYTES]
    before = "..." if start else ""
    after = "..." if start + len(piece) < len(value) else ""
    return f"{len(value)} bytes: {before}{piece.hex()}{after}"


def _common_prefix(one: bytes, two: bytes) -> int:
    """Bytes up to the first difference."""
    shorter = min(len(one), len(two))
    return next((i for i in range(shorter) if one[i] != two[i]), shorter)


def differences(
    left: Mapping[str, object],
    right: Mapping[str, object],
    mask: Collection[str],
    byte_fields: Collection[str],
    left_text: Callable[[str, object], str],
    right_text: Callable[[str, object], str],
) -> list[Difference]:
    """Fields (``layer.field``) in which two frames differ, "absent" where one lacks it; see `text.diff`."""
    result: list[Difference] = []
    for name in [*left, *(name for name in right if name not in left)]:
        one, two = left.get(name), right.get(name)
        if one == two or name in mask or name.split(".")[0] in mask:
            continue
        if name in byte_fields and isinstance(one, bytes) and isinstance(two, bytes):
            same = _common_prefix(one, two)
            at = f" from byte {same}" if same else ""
            result.append((f"{name}{at}", bytes_text(one, same), bytes_text(two, same)))
            continue
        result.append(
            (
                name,
                left_text(name, one) if name in left else "absent",
                right_text(name, two) if name in right else "absent",
            )
        )
    return result
