"""How far apart are secrets, and which pairs of them matter?"""

from leaktight.policies.metric.lengths import read_places
from leaktight.policies.metric.metric import Metric

__all__ = ["Metric", "read_places"]
