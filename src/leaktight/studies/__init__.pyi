from .audit import Audit, audit
from .study import Study, read_study

__all__ = ["Audit", "Study", "audit", "read_study"]
