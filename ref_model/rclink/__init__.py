"""Observer of RCLINK-Stream: judges what its pins show against spec/rclink."""

from ref_model.rclink.model import RclinkModel

__all__ = ["RclinkModel"]
