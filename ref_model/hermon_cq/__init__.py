"""Observer model of the Hermon (ConnectX) completion-queue engine; how it judges: docs/JUDGING.md."""

from ref_model.hermon_cq.model import HermonModel

__all__ = ["HermonModel"]
