"""What has been released, at what cost, and what is left?"""

from leaktight.tables.ledger.entry import Entry, Stored
from leaktight.tables.ledger.ledger import Ledger

__all__ = ["Entry", "Ledger", "Stored"]
