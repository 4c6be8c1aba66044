"""Whether a mechanism keeps a promise: decided with exact numbers, or said to be undecided."""

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from flint import arb

from leaktight.channels.channel import Channel
from leaktight.curves.curve import PrivacyCurve
from leaktight.curves.polygon import ONE, ZERO
from leaktight.curves.renyi import Orders, Sums
from leaktight.curves.shapes import WORK
from leaktight.errors import InvalidInput, TooLarge, expect
from leaktight.exact.numbers import fraction, rational
from leaktight.exact.rounding import precision
from leaktight.exact.shown import Told, shown
from leaktight.limits import allowed
from leaktight.policies.neighbours import Neighbours, adjacency_of

SHARES = (None, *range(48, 3, -3), 3, 2, 1, 0)
"""With which shares 2^−k of one row for all a channel is mixed until it keeps a promise."""

MOST_PAIRS = 2**12
"""The most pairs of neighbours whose Rényi divergences are compared."""


@dataclass(frozen=True, slots=True, repr=False)
class Kept(Told):
    """Whether a promise is kept; ``holds`` is None where exact arithmetic does not decide it.

    If it is broken, an event has the chance ``chance`` for one neighbour, which ``other`` for the
    second does not allow; or two neighbours have a Rényi divergence that is too large.
    """

    holds: bool | None
    why: str
    other: Fraction | None = None
    chance: Fraction | None = None

    def __bool__(self) -> bool:
        return self.holds is True

    def __str__(self) -> str:
        return self.why


def keeps(found: PrivacyCurve, curve: PrivacyCurve) -> Kept:
    """Decide whether a curve that is known exactly is nowhere above what was promised.

    ``found`` is a polygon of rationals, as of a channel; it is below a concave curve if and only
    if its corners are. Rényi divergences do not follow from a curve: see :func:`channel_keeps`.

    >>> keeps(PrivacyCurve.epsilon(ratio=2), PrivacyCurve.epsilon_delta(ratio=2, delta="1/10"))
    Kept(no event is likelier than promised)
    >>> keeps(PrivacyCurve.epsilon(ratio=3), PrivacyCurve.gaussian("1/2")).holds
    False
    """
    expect(curve, PrivacyCurve, "PrivacyCurve.epsilon(1) is one")
    if curve.divergences is not None:
        raise InvalidInput(
            "Rényi divergences do not follow from a curve; give channel_keeps the channel"
        )
    undecided, drawn = None, found.polygons()
    for a, p in drawn.upper.corners:
        low, high = curve.shape.detection(a)
        if p > high and drawn.is_exact:
            return Kept(
                False,
                f"an event has the chance {shown(p)} for one neighbour and {shown(a)} for the "
                "other, which the promise does not allow",
                fraction(a),
                fraction(p),
            )
        if p > low:
            undecided = undecided or (a, p)
    if undecided is not None:
        return Kept(None, "it is too near to the promise to be decided", *map(fraction, undecided))
    return Kept(True, "no event is likelier than promised")


def channel_keeps(channel: Channel, neighbours: Neighbours, curve: PrivacyCurve) -> Kept:
    """Decide whether a channel keeps a promise for neighbours, exactly.

    A curve is kept if the channel's own is nowhere above it. ρ-zCDP and Rényi privacy are more
    than the curve that follows from them, so that the divergences of all neighbours are enclosed.

    >>> from leaktight.policies.secrets import SecretGraph
    >>> coin, pair = Channel([["3/4", "1/4"], ["1/4", "3/4"]]), SecretGraph.complete(2)
    >>> channel_keeps(coin, pair, PrivacyCurve.zcdp("0.56")).holds
    True
    >>> channel_keeps(coin, pair, PrivacyCurve.zcdp("0.54")).holds
    False
    """
    expect(curve, PrivacyCurve, "PrivacyCurve.epsilon(1) is one")
    exact = expect(channel, Channel, "Channel(rows) is one").exact()
    orders = curve.divergences
    if orders is None:
        return keeps(PrivacyCurve.of(exact, neighbours), curve)
    graph = adjacency_of(neighbours).explicit()
    arcs = graph.arcs.tolist()
    if len(arcs) > 2 * allowed(MOST_PAIRS):
        raise TooLarge(
            f"Rényi divergences are compared for at most {allowed(MOST_PAIRS):,} pairs of "
            f"neighbours, got {len(arcs) // 2:,}"
        )
    matrix = exact.restrict(graph.vertices).matrix
    undecided = False
    for x, other in arcs:
        held = _divergence_holds(orders, matrix[x], matrix[other])
        if held is False:
            return Kept(False, "two neighbours have a larger Rényi divergence than promised")
        undecided |= held is None
    if undecided:
        return Kept(None, "a Rényi divergence is too near to the promise to be decided")
    return Kept(True, "no Rényi divergence of neighbours is larger than promised")


def made_to_keep(
    channel: Channel, neighbours: Neighbours, curve: PrivacyCurve
) -> tuple[Channel, Kept]:
    """Return a channel, mixed with one row for all until it is decided to keep a promise.

    Every curve and every Rényi divergence of two rows falls by mixing both with the same one.
    """
    exact, size = channel.exact(), channel.shape[1]
    for power in SHARES:
        share = ZERO if power is None else ONE / 2**power
        mixed = Channel((1 - share) * exact.matrix + share / size, channel.inputs, channel.outputs)
        if (kept := channel_keeps(mixed, neighbours, curve)).holds:
            return mixed, kept
    raise AssertionError("one row for all keeps every promise")


def _divergence_holds(orders: Orders, one: Any, other: Any) -> bool | None:
    """Say whether D_α of two rows is within its bounds at all orders."""
    seen = [(rational(p), rational(q)) for p, q in zip(one, other, strict=True) if p]
    if all(p == q for p, q in seen):
        return True
    if any(q == ZERO for _, q in seen):
        return False
    first, second = (tuple(side) for side in zip(*seen, strict=True))
    with precision(WORK):
        sums = Sums.of(first, second, (1,) * len(first))
        if orders.holds(sums):
            return True
        return False if _exceeds(orders, sums) else None


def _exceeds(orders: Orders, sums: Sums) -> bool:
    """Say whether some order surely has a larger divergence than promised; floats propose it."""

    def exceeded(near: float) -> tuple[bool, float]:
        order, bound = orders.exactly(near)
        over = sums.at(arb(order)) - arb(bound)
        return over > 0, float(over.mid())

    found = {near: exceeded(near) for near in orders.looked_at.tolist()}
    nearest = max(found, key=lambda near: found[near][1])
    closer = (exceeded(near)[0] for near in orders.finer(nearest).tolist())
    return any(over for over, _ in found.values()) or any(closer)
