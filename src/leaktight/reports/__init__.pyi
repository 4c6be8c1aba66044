from .page import write_report
from .terminal import summary

__all__ = ["summary", "write_report"]
