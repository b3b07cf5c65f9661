"""A CQ engine in software that shows what pins would show: for tests of the model without a simulator."""

from ref_model.hermon_cq.endpoint.commands import CommandEngine
from ref_model.hermon_cq.endpoint.state import EngineCq, EngineEq, Request

__all__ = ["CommandEngine", "EngineCq", "EngineEq", "Request"]
