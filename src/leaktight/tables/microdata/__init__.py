"""How is a table of persons protected, so that it can be handed out, and what does that cost?"""

from leaktight.tables.microdata.answer import Disclosure, Loss, Plan, Protected
from leaktight.tables.microdata.protect import protect, record_of

__all__ = ["Disclosure", "Loss", "Plan", "Protected", "protect", "record_of"]
