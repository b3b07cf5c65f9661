"""Host side: the verbs-like interface and its ERNIC implementation."""

from tb.host.api import Access, Host, Mr, Qp, ReceiveSlot, WorkCompletion, WorkRequest
from tb.host.ernic import ErnicHost
from tb.host.names import RegisterNames
from tb.host.settings import DeviceConfig, QpConfig, ResponseMode, RingSize

__all__ = [
    "Access",
    "DeviceConfig",
    "ErnicHost",
    "Host",
    "Mr",
    "Qp",
    "QpConfig",
    "ReceiveSlot",
    "RegisterNames",
    "ResponseMode",
    "RingSize",
    "WorkCompletion",
    "WorkRequest",
]
