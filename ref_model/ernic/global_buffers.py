"""The four global buffers that every bring-up has to program (ERN-158)."""

from __future__ import annotations

from ref_model.ernic.config import RegisterValues

#: Base, its upper word, and size register of each buffer.
BUFFERS = (
    ("ERRBUFBA", "ERRBUFBAMSB", "ERRBUFSZ"),
    ("IPKTERRQBA", "IPKTERRQBAMSB", "IPKTERRQSZ"),
    ("RESPERRPKTBA", "RESPERRPKTBAMSB", "RESPERRSZ"),
    ("DATBUFBA", "DATBUFBAMSB", "DATBUFSZ"),
)


def missing_buffers(values: RegisterValues) -> list[str]:
    """Return the size registers of the buffers that were left at 0, in address or in size."""
    missing = []
    for base, high, size in BUFFERS:
        address = values.get("GLOBAL", high) << 32 | values.get("GLOBAL", base)
        if not address or not values.get("GLOBAL", size):
            missing.append(size)
    return missing
