"""Attacks on promises: an event that is likelier than a promise allows, found by calls.

If a mechanism keeps the promise g, then P(S) ≤ g(Q(S)) for every event S and neighbouring inputs.
An event is learnt from some outputs and counted in others, so that its counts are binomial; exact
limits give P(S) ≥ p and Q(S) ≤ a with the confidence that is asked for. If p > g(a), the promise is
refuted. No number of calls shows that a promise is kept.
"""

import re
import time
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from typing import Any, NamedTuple, Protocol, TypeAlias

import numpy as np
from flint import fmpq

from leaktight.curves.curve import PrivacyCurve
from leaktight.curves.promise import read_promise as one_promise
from leaktight.errors import InvalidInput, InvalidNumber, is_whole
from leaktight.exact.numbers import Array, Number, as_printed, fraction, rational, to_float
from leaktight.exact.rounding import ln_interval
from leaktight.exact.shown import Told, above, below, percent_as_given, shown
from leaktight.samples.confidence import binomial_lower, binomial_upper, expected_ends, read_risk
from leaktight.samples.design import generator
from leaktight.samples.event import Hits, Score
from leaktight.testing.calls import Batched, Both, Calls
from leaktight.testing.learning import Seen, learnt_event
from leaktight.testing.outputs import LOWEST_BIT, Outputs

# --- promises that can be attacked: (ε, δ), ρ-zCDP, μ-Gaussian, and any curve ----------------
# Each knows its curve, which events speak against it, and what limits of two chances prove.

LINES = 24
"""With how many lines a curve is drawn where events are chosen; what is decided needs none."""

HALVINGS = 24
"""How often an interval is halved that holds the least parameter."""


class Proved(NamedTuple):
    """What the parameter of a promise is at least, by two chances."""

    unit: str
    value: float
    at: str


class Promise(Protocol):
    """What is claimed of a mechanism."""

    @property
    def curve(self) -> PrivacyCurve:
        """How likely an event may be for one input by its chance for the other."""

    def score(self, trials: int, risk: float) -> Score:
        """Return what says how good events are, by how often they occur in so many trials.

        The limits are those of the outputs that judge, however many will test: an event that
        looks good because it was seen once, and not seen once, is not.
        """

    def proved(self, likely: fmpq, rare: fmpq) -> Proved:
        """Return what follows from P(S) ≥ likely and Q(S) ≤ rare, rounded down."""


@dataclass(frozen=True, slots=True)
class Pair:
    """(ε, δ)-differential privacy. An event is as good as the e^ε that it would prove."""

    curve: PrivacyCurve
    delta: fmpq

    def score(self, trials: int, risk: float) -> Score:
        """(P − δ)/Q at the limits."""
        slack = to_float(self.delta)

        def ratio(likely: Hits, rare: Hits) -> Array:
            low, high = expected_ends(likely, rare, trials, risk)
            return (low - slack) / high

        return ratio

    def proved(self, likely: fmpq, rare: fmpq) -> Proved:
        """The least ε at δ."""
        at = f" at δ = {shown(self.delta)}" if self.delta else ""
        return Proved("ε", least_epsilon(likely, rare, self.delta), at)


def least_epsilon(likely: fmpq, rare: fmpq, delta: fmpq) -> float:
    """Return the least ε of (ε, δ) that allows such chances: by the event, or by its complement."""
    ratio = max(fmpq(1), (likely - delta) / rare)
    if likely < 1:
        ratio = max(ratio, (1 - rare - delta) / (1 - likely))
    return max(0.0, ln_interval(ratio)[0])


class _ByCurve:
    """A promise whose events are as good as they exceed its curve, in standard deviations."""

    curve: PrivacyCurve

    def score(self, trials: int, risk: float) -> Score:
        """(P − g(Q))/σ at the limits, for g drawn with few lines."""
        corners = self.curve.polygons(LINES).upper.corners
        places, heights = (np.array([to_float(c[i]) for c in corners]) for i in (0, 1))
        steep = np.diff(heights) / np.diff(places)

        def exceeded(likely: Hits, rare: Hits) -> Array:
            low, high = expected_ends(likely, rare, trials, risk)
            slope = steep[np.clip(np.searchsorted(places, high) - 1, 0, len(steep) - 1)]
            variance = low * (1 - low) + slope**2 * high * (1 - high) + 1 / trials
            return (low - np.interp(high, places, heights)) / np.sqrt(variance)

        return exceeded


@dataclass(frozen=True)
class Parameter(_ByCurve):
    """A promise with one parameter, such as ρ, whose curves grow with it."""

    curve: PrivacyCurve
    unit: str
    family: Callable[[Number], PrivacyCurve]

    def proved(self, likely: fmpq, rare: fmpq) -> Proved:
        """A parameter whose curve is refuted, by halving."""
        low, high = 0.0, 1.0
        if likely <= rare:
            return Proved(self.unit, 0.0, "")
        while self._is_refuted(high, likely, rare):
            low, high = high, 2 * high
        for _ in range(HALVINGS):
            middle = (low + high) / 2
            if self._is_refuted(middle, likely, rare):
                low = middle
            else:
                high = middle
        return Proved(self.unit, low, "")

    def _is_refuted(self, value: float, likely: fmpq, rare: fmpq) -> bool:
        return likely > self.family(fraction(rational(value))).shape.detection(rare)[1]


@dataclass(frozen=True)
class Curve(_ByCurve):
    """Any curve; what is told is the least ε."""

    curve: PrivacyCurve

    def proved(self, likely: fmpq, rare: fmpq) -> Proved:
        """The least ε at δ = 0."""
        return Proved("ε", least_epsilon(likely, rare, fmpq(0)), "")


def read_promise(
    epsilon: Number | None,
    delta: Number | None,
    rho: Number | None,
    mu: Number | None,
    curve: PrivacyCurve | None,
) -> Promise:
    """Return the one promise that is given.

    >>> print(read_promise(1, "0.001", None, None, None).curve)
    ε = 1, δ = 0.001
    """
    known = one_promise({"epsilon": epsilon, "delta": delta, "rho": rho, "mu": mu, "curve": curve})
    if epsilon is not None:
        slack = as_printed(0 if delta is None else delta)
        return Pair(PrivacyCurve.epsilon_delta(epsilon, fraction(slack)), slack)
    assert isinstance(known, PrivacyCurve)
    if curve is not None:
        return Curve(known.symmetric())
    unit, family = ("ρ", PrivacyCurve.zcdp) if mu is None else ("μ", PrivacyCurve.gaussian)
    return Parameter(known, unit, family)


# --- attacks ---------------------------------------------------------------------------------

SAMPLES, LEAST = 20_000, 16
"""How many calls there are if nothing is said, and the fewest of each input in each half."""

MOST_LEARNT, CHUNK = 2**18, 2**14
"""The most outputs of an input from which an event is learnt, and how many are kept at a time."""

LOW_BITS = (
    "noise added in floats shows in their lowest bits what it was added to; round what is "
    "published, or pass low_bits=False to look for other events"
)

Progress: TypeAlias = Callable[[str], object]


@dataclass(frozen=True, slots=True, repr=False)
class Attack(Told):
    """What calls have shown about a promise: an event, how often it was seen, what that proves."""

    promise: PrivacyCurve
    confidence: Fraction
    """How sure it is that ``likely`` and ``rare`` are on their sides of the truth."""
    event: Seen
    order: tuple[str, str]
    """Which input the event is likelier for, and the other: x and x2, or x2 and x."""
    counts: tuple[int, int]
    """How often the event occurred for the one and for the other."""
    trials: int
    """Out of so many outputs of each, from which it had not been learnt."""
    likely: Fraction
    """What its chance for the one is at least."""
    rare: Fraction
    """What its chance for the other is at most."""
    allowed: Fraction
    """What its chance for the one may be at most, if the promise is kept."""
    proved: Proved
    """What ε at the promised δ, ρ or μ is at least."""

    @property
    def refuted(self) -> bool:
        """Whether the promise is broken, with the confidence stated; decided exactly."""
        return self.likely > self.allowed

    @property
    def verdict(self) -> str:
        """Refuted or not, in one line."""
        if self.refuted:
            return f"REFUTED: {self.promise}"
        return f"not refuted: {self.promise} (which does not prove it)"

    @property
    def evidence(self) -> list[tuple[str, str]]:
        """What was seen and what follows, line by line."""
        one, other = self.order
        seen = f"{self.counts[0]:,} times for {one}, {self.counts[1]:,} times for {other}"
        unit, value, at = self.proved
        sure = percent_as_given(self.confidence)
        lines = [
            ("event", str(self.event)),
            ("seen", f"{seen}, of {self.trials:,} calls each"),
            (
                "chances",
                f"at least {below(float(self.likely))} for {one}, at most "
                f"{above(float(self.rare))} for {other}; the promise then allows at most "
                f"{above(float(self.allowed))} for {one}",
            ),
            ("proved", f"{unit} ≥ {below(value)}{at}, with {sure} confidence"),
        ]
        if self.refuted and LOWEST_BIT in str(self.event):
            lines.append(("note", LOW_BITS))
        return lines

    def __str__(self) -> str:
        return "\n".join([self.verdict, *(f"  {name:8} {text}" for name, text in self.evidence)])


@dataclass(frozen=True, slots=True)
class Budget:
    """About how many seconds an attack may take, such as ``"30 s"`` or ``"2 min"``.

    An event is learnt in about a half. How many calls fit into the rest is then fixed before the
    first of them: time decides how many there are, never what they show.
    """

    seconds: float
    clock: Callable[[], float] = time.monotonic

    @classmethod
    def of(cls, text: "str | float | Budget") -> "Budget":
        """Read a time: a number is seconds.

        >>> Budget.of("2 min").seconds, Budget.of(0.5).seconds
        (120.0, 0.5)
        """
        if isinstance(text, Budget):
            return text
        found = re.fullmatch(r"\s*([\d.]+)\s*(ms|s|sec|min|h)?\s*", str(text))
        units = {"ms": 0.001, "s": 1.0, "sec": 1.0, None: 1.0, "min": 60.0, "h": 3600.0}
        try:
            seconds = float(found[1]) * units[found[2]] if found else 0.0
        except ValueError:
            seconds = 0.0
        if seconds <= 0:
            raise InvalidNumber(f'a budget must be a time such as "30 s", got {text!r:.60}')
        return cls(seconds)


def attack(
    mechanism: Any,
    x: Any,
    x2: Any,
    *,
    epsilon: Number | None = None,
    delta: Number | None = None,
    rho: Number | None = None,
    mu: Number | None = None,
    curve: PrivacyCurve | None = None,
    confidence: Number = 0.999,
    samples: int | None = None,
    budget: "str | float | Budget | None" = None,
    low_bits: bool = True,
    seed: int | None = None,
    progress: Progress | None = None,
) -> Attack:
    """Try to refute what is promised of a mechanism, by calling it on two neighbouring inputs.

    :param mechanism: any callable of one input; each call must be independent of the others.
        :class:`Batched` wraps one that returns many outputs at once.
    :param x: an input.
    :param x2: one that is its neighbour under the promise; this is not checked, and cannot be.
    :param epsilon: promised ε, with ``delta`` (0 if not given); or one of the next three.
    :param rho: promised ρ of zero-concentrated privacy.
    :param mu: promised μ of Gaussian privacy.
    :param curve: any other promise; of one that is not symmetric, what it says of both orders.
    :param confidence: a promise that is kept is called refuted with a chance of at most 1 minus it.
    :param samples: how many calls there are in all; 20,000 if there is no ``budget`` either.
    :param budget: about how long they may take, such as ``"30 s"``.
    :param low_bits: whether events may ask for the lowest bits of floats. Noise added in floats is
        told apart by them [Mironov2012]_, whatever its scale. If what is published is rounded, let
        the mechanism return that.
    :param seed: of the order of the calls. It never reaches the mechanism, whose outputs differ
        from run to run.
    :raises InvalidInput: if there is not one promise, or what is given is none.

    Outputs may be numbers, vectors, texts, dictionaries, objects. What is not refuted is not
    proved: the two inputs may not be the worst, nor the event that was found.

    >>> import random
    >>> def noisy(count):                                        # half the noise that ε = 1 needs
    ...     return count + random.expovariate(2) - random.expovariate(2)
    >>> found = attack(noisy, 20, 21, epsilon=1, samples=20_000)
    >>> found.refuted, found.proved.unit, 1 < found.proved.value <= 2
    (True, 'ε', True)
    """
    promise = read_promise(epsilon, delta, rho, mu, curve)
    risk = read_risk(confidence)
    if not callable(mechanism) and not isinstance(mechanism, Batched):
        raise InvalidInput(f"a mechanism must be callable, got {type(mechanism).__name__}")
    calls = Calls(mechanism, (x, x2), generator(seed))
    say = progress or (lambda what: None)
    say("learning an event")
    choose = partial(_chosen, promise, risk=risk, low_bits=low_bits)
    if budget is None:
        order, event, trials = _by_samples(calls, choose, samples)
    elif samples is None:
        order, event, trials = _by_time(calls, choose, Budget.of(budget))
    else:
        raise InvalidInput("give samples= or budget=, got both")
    counts = [0, 0]
    for start in range(0, trials, CHUNK):
        say(f"counting it in {start:,} of {trials:,} calls each")
        for side, outputs in enumerate(calls.draw(min(CHUNK, trials - start))):
            counts[side] += int(event.occurs(outputs).sum())
    one, other = order
    likely = rational(binomial_lower(counts[one], trials, risk / 2))
    rare = rational(binomial_upper(counts[other], trials, risk / 2))
    return Attack(
        promise.curve,
        fraction(1 - risk),
        event,
        (NAMES[one], NAMES[other]),
        (counts[one], counts[other]),
        trials,
        fraction(likely),
        fraction(rare),
        fraction(promise.curve.shape.detection(rare)[1]),
        promise.proved(likely, rare),
    )


NAMES = "x", "x2"


Order: TypeAlias = tuple[int, int]
Choice: TypeAlias = tuple[Order, Seen]
Choose: TypeAlias = Callable[[Both], Choice]


def _by_samples(calls: Calls, choose: Choose, samples: int | None) -> tuple[Order, Seen, int]:
    """Learn an event; return it, and how many calls of each input are left to count it in."""
    count = SAMPLES if samples is None else samples
    if not is_whole(count, 4 * LEAST):
        raise InvalidNumber(f"samples must be a whole number from {4 * LEAST}, got {samples!r:.60}")
    each = count // 2
    known = min(each // 2, MOST_LEARNT)
    return *choose(calls.draw(known)), each - known


def _by_time(calls: Calls, choose: Choose, budget: Budget) -> tuple[Order, Seen, int]:
    """The same with twice as many outputs as before, as long as half of the time allows it."""
    start, known = budget.clock(), LEAST
    rows: tuple[list[Any], list[Any]] = [], []
    drawing = 0.0
    while True:
        before = budget.clock()
        for side, outputs in zip(rows, calls.draw(known), strict=True):
            side.extend(outputs.rows)
        drawing += budget.clock() - before
        known = len(rows[0])
        learnt = Outputs(rows[0]), Outputs(rows[1])
        order, event = choose(learnt)
        spent = budget.clock() - start
        if 3 * spent > budget.seconds / 2 or 2 * known > MOST_LEARNT:
            break
    before = budget.clock()
    for side in rows:
        event.occurs(Outputs(side))
    each = (drawing + budget.clock() - before) / known
    left = 0.95 * budget.seconds - (budget.clock() - start)
    return order, event, max(int(left / each) if each > 0 else known, LEAST)


def _chosen(promise: Promise, learnt: Both, *, risk: fmpq, low_bits: bool) -> Choice:
    """Learn an event for each order of the inputs, and return the better one."""
    half = len(learnt[0]) // 2
    learn, judge = (
        (Outputs(learnt[0].rows[part]), Outputs(learnt[1].rows[part]))
        for part in (slice(half), slice(half, None))
    )
    score = promise.score(len(judge[0]), to_float(risk / 2))
    found = []
    for one, other in ((0, 1), (1, 0)):
        sides = (learn[one], learn[other]), (judge[one], judge[other])
        event, value = learnt_event(*sides, score, low_bits)
        found.append((value, (one, other), event))
    _, order, event = max(found, key=lambda each: each[0])
    return order, event
