"""Observer of the ERNIC: judges what its pins show against spec/ernic."""

from ref_model.ernic.model import ErnicModel
from ref_model.ernic.readings import Readings, follow

__all__ = ["ErnicModel", "Readings", "follow"]
