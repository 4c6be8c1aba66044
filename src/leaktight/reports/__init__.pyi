from .audit import report, summary, write_report
from .document import Document, Table
from .markdown import to_markdown
from .page import to_html
from .release import release_document
from .table import table
from .text import to_text

__all__ = [
    "Document",
    "Table",
    "release_document",
    "report",
    "summary",
    "table",
    "to_html",
    "to_markdown",
    "to_text",
    "write_report",
]
