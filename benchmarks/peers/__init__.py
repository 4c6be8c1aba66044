"""Does leaktight have what the field's tools have, and do the answers agree?

    python -m benchmarks.peers

compares function by function on random inputs and writes the tables of ``docs/peers.md``. What is
compared stands in a text file for each peer, a function a line: its name, ours or why there is
none, both as expressions of the same inputs, and what is not alike.
"""

from benchmarks.peers.row import rows

TABLES = {peer: rows(peer) for peer in ("qif", "pyqif", "dit", "bvmlib")}

COMPLETE = ("qif", "pyqif")
"""The peers of which nothing may be left out."""
