"""Does leaktight have what the field's tools have, and do the answers agree?

    python -m benchmarks.peers

compares function by function on random inputs and writes the tables of ``docs/peers.md``.
"""

from benchmarks.peers import libqif_channels, libqif_measures, libqif_mechanisms, others

TABLES = {
    "qif": libqif_channels.ROWS + libqif_measures.ROWS + libqif_mechanisms.ROWS,
    "pyqif": others.PYQIF,
    "dit": others.DIT,
    "bvmlib": others.BVMLIB,
}

COMPLETE = ("qif", "pyqif")
"""The peers of which nothing may be left out."""
