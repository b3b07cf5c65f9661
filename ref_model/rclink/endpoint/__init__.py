"""A software RCLINK: the transport side of a link partner, and a device for tests without a simulator."""

from ref_model.rclink.endpoint.core import Endpoint
from ref_model.rclink.endpoint.receiver import Receiver
from ref_model.rclink.endpoint.regulator import Regulator
from ref_model.rclink.endpoint.sender import Sender

__all__ = ["Endpoint", "Receiver", "Regulator", "Sender"]
