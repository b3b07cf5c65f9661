"""Observer of the ERNIC: judges what its pins show against spec/ernic."""

from ref_model.ernic.model import ErnicModel

__all__ = ["ErnicModel"]
