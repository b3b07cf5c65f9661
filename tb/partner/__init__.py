"""Link partners: endpoints that talk to the DUT and misbehave by declared rules."""

from tb.partner.core import PartnerCore
from tb.partner.faults import Action, Direction, Fault
from tb.partner.legality import LegalityChecker, Notes
from tb.partner.link_partner import LinkPartner
from tb.partner.rclink import RclinkPartner

__all__ = [
    "Action",
    "Direction",
    "Fault",
    "LegalityChecker",
    "LinkPartner",
    "Notes",
    "PartnerCore",
    "RclinkPartner",
]
