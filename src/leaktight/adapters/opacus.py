"""Opacus: what an accountant of a training run claims. The package is ``opacus``."""

import math
from collections.abc import Iterable
from typing import Any

from leaktight.adapters.claims import claimed, exactly
from leaktight.curves.curve import PrivacyCurve
from leaktight.errors import InvalidInput
from leaktight.exact.numbers import Number, as_printed, fraction
from leaktight.exact.ratio import Ratio
from leaktight.exact.rounding import float_below

PACKAGE = "opacus"
DELTAS = tuple(2.0**-k for k in (3, 5, 7, 10, 13, 17, 20, 27, 33, 40))
"""The δ at which an accountant is asked for ε if nothing is said."""


def from_opacus(accountant: Any, deltas: Iterable[Number] = DELTAS) -> PrivacyCurve:
    """Return what an accountant of Opacus claims, as (ε, δ) at each of some δ.

    :param accountant: an ``RDPAccountant`` or ``PRVAccountant``, with its history.
    :param deltas: where it is asked for ε; more of them make a closer curve.
    :raises InvalidInput: for a ``GaussianAccountant``, whose ε is that of a limit, and no bound.

    Opacus counts neighbours that differ in one sample added or removed. Its accountants convert to
    (ε, δ); for constant noise σ and sampling rate q the curve itself is
    ``PrivacyCurve.gaussian(1/σ).subsampled(q).power(steps)``, proved from both sides.
    """
    if not callable(getattr(accountant, "get_epsilon", None)):
        raise InvalidInput(
            f"expected an accountant of Opacus, with get_epsilon, got {type(accountant).__name__}"
        )
    if accountant.mechanism() == "gdp":
        raise InvalidInput(
            "a GaussianAccountant gives the ε of a limit, which may be less than the truth; "
            "take an RDPAccountant or a PRVAccountant"
        )
    pairs: list[tuple[Number | Ratio, Number]] = []
    for delta in deltas:
        exact = as_printed(delta)
        epsilon = float(accountant.get_epsilon(delta=float_below(exact)))
        if epsilon < math.inf:
            pairs.append((exactly(max(epsilon, 0.0), "ε"), fraction(exact)))
    said = f"(ε, δ) at {len(pairs)} values of δ by {type(accountant).__name__}"
    return claimed(PrivacyCurve.pairs(pairs or [(0, 1)]), said, PACKAGE)
