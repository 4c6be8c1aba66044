from .answers import Skipped
from .audit import Audit, audit
from .reading import read_study
from .study import Study

__all__ = ["Audit", "Skipped", "Study", "audit", "read_study"]
