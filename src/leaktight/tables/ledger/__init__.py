"""What has been released, at what cost, and what is left?"""

from leaktight.tables.ledger.entry import Entry, Stored
from leaktight.tables.ledger.ledger import Ledger
from leaktight.tables.ledger.store import is_address, store_of

__all__ = ["Entry", "Ledger", "Stored", "is_address", "store_of"]
