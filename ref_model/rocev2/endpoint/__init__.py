"""Active RC endpoint, the transport side of the link partner."""

from ref_model.rocev2.endpoint.config import AckMode, AckPolicy, AckRequest, EndpointConfig, ReadRetry
from ref_model.rocev2.endpoint.core import Endpoint
from ref_model.rocev2.endpoint.frames import acknowledge, envelope
from ref_model.rocev2.endpoint.requester import Completion, Status
from ref_model.rocev2.endpoint.responder import Received

__all__ = [
    "AckMode",
    "AckPolicy",
    "AckRequest",
    "Completion",
    "Endpoint",
    "EndpointConfig",
    "ReadRetry",
    "Received",
    "Status",
    "acknowledge",
    "envelope",
]
