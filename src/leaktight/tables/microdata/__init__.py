"""How is a table of persons protected, so that it can be handed out, and what does that cost?"""

from leaktight.tables.microdata.answer import Disclosure, Loss, Plan, Protected
from leaktight.tables.microdata.protect import protect, record_of
from leaktight.tables.microdata.statistics import Statistic

__all__ = ["Disclosure", "Loss", "Plan", "Protected", "Statistic", "protect", "record_of"]
