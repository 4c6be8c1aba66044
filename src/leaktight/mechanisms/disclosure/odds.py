"""What a perturbed count tells of one person, and its privacy level, for any number of people."""

from collections import defaultdict
from collections.abc import Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import inf

from flint import fmpq

from leaktight.channels.noise_on_sums import ROUNDING
from leaktight.errors import InvalidInput, InvalidNumber, expect
from leaktight.exact.numbers import Number, Value, fraction, rational
from leaktight.exact.rounding import float_above, float_below
from leaktight.exact.shown import Told, above, percent
from leaktight.leakage.uninformed import UninformedGuess
from leaktight.mechanisms.disclosure.perturbation import CountPerturbation, Row
from leaktight.policies.policy import Policy
from leaktight.policies.population import Population
from leaktight.policies.secrets import SecretGraph
from leaktight.privacy.level import PrivacyLevel, Witness

Pair = tuple[Hashable, Hashable, Row, Row]
"""What is counted without a person and with them, and what is shown of each."""

Weights = tuple[Fraction, Fraction]
"""What is believed of a person before: not counted, and counted."""

MOST_EXACT = 128
"""The most people whose count is gone through exactly; beyond, floats enclose it."""


@dataclass(frozen=True, slots=True, repr=False)
class CountOdds(Told):
    """How private a perturbed count is, and how well it lets one person's answer be guessed."""

    level: PrivacyLevel
    """Neighbours are tables of which one person is counted, or is not."""
    before: Fraction
    informed: Fraction
    """The chance of a right guess, all others known: the worst over all they may be."""
    others: Hashable
    """How many others are counted where it is worst; for several areas, in each."""
    uninformed: UninformedGuess
    """The same, if nobody is known."""

    def __str__(self) -> str:
        epsilon = "∞" if self.level.ratio == inf else above(self.level.epsilon)
        nobody = percent(Fraction(self.uninformed.upper))
        return (
            f"ε = {epsilon}; one person is guessed with {percent(self.before)} before, "
            f"{percent(self.informed)} after with all others known, {nobody} with nobody known"
        )


def count_odds(
    mechanism: CountPerturbation, people: int, prior: Number = Fraction(1, 2)
) -> CountOdds:
    """Return what is told of one person by a count over ``people``, perturbed by ``mechanism``.

    Each person is counted with chance ``prior``, independently, as far as anybody knows. Databases
    are never listed: what one person changes repeats along the counts, and how many others are
    counted is binomial; beyond 128 people, floats enclose what somebody guesses who knows nobody.

    :raises InvalidNumber: if the prior is no chance.

    >>> from leaktight.mechanisms.disclosure.perturbation import Rounding, Suppression
    >>> print(count_odds(Suppression(7, then=Rounding(5)), people=30))
    ε = ∞; one person is guessed with 50% before, 100% after with all others known, 54.8% with
    nobody known
    >>> print(count_odds(Rounding(3, random=True), people=1_000_000))
    ε = ∞; one person is guessed with 50% before, 66.7% after with all others known, 50% with
    nobody known
    """
    expect(mechanism, CountPerturbation, "such as Rounding(5), Suppression(7) or CellKey(ptable)")
    share = expect_people(people, prior)
    last = min(people, mechanism.repeats_from + mechanism.period)
    rows = [mechanism.row(count) for count in range(last + 1)]
    pairs: list[Pair] = [(c, c + 1, rows[c], rows[c + 1]) for c in range(last)]
    informed, others = worst_guess(pairs, share)
    before = max(share, 1 - share)
    return CountOdds(
        level_of(pairs),
        before,
        informed,
        others,
        UninformedGuess(*nobody_known(mechanism, people, share, (1 - share, share)), before),
    )


def expect_people(people: int, prior: Number) -> Fraction:
    """Check how many people there are, and return the chance that one is counted."""
    if type(people) is not int or people < 1:
        raise InvalidInput(f"people must be a whole number, 1 or more, got {people!r:.60}")
    share = fraction(rational(prior))
    if not 0 <= share <= 1:
        raise InvalidNumber(f"the prior must be a chance, between 0 and 1, got {share}")
    return share


def guessed(absent: Row, present: Row, weights: Weights) -> Fraction:
    """Return the chance of a right guess between two rows, believed before with such weights."""
    none = Fraction(0)
    return sum(
        (
            max(weights[0] * absent.get(z, none), weights[1] * present.get(z, none))
            for z in {**absent, **present}
        ),
        none,
    )


def worst_guess(pairs: list[Pair], share: Fraction) -> tuple[Fraction, Hashable]:
    """Return the best guess over all that the others may be, and what they are."""
    weights = 1 - share, share
    best = max(pairs, key=lambda pair: guessed(pair[2], pair[3], weights))
    return guessed(best[2], best[3], weights), best[0]


def level_of(pairs: list[Pair]) -> PrivacyLevel:
    """Return the largest ratio of neighbouring rows, with the pair and the output that show it."""
    best: tuple[Value, Witness | None] = (Fraction(1), None)
    for without, with_one, absent, present in pairs:
        for own, other, mine, theirs in (
            (without, with_one, absent, present),
            (with_one, without, present, absent),
        ):
            for z, chance in mine.items():
                there = theirs.get(z, Fraction(0))
                ratio: Value = chance / there if there else inf if chance else Fraction(0)
                if ratio > best[0]:
                    best = ratio, Witness(own, other, z)
    return PrivacyLevel(*best)


def nobody_known(
    mechanism: CountPerturbation, people: int, share: Fraction, weights: Weights
) -> tuple[Value, Value]:
    """Enclose the best guess of somebody who knows nobody.

    :param share: the chance that each of the others is counted.
    :param weights: what is believed of the likeliest value that is not counted, and of that which
        is; 1 − share and share if there are no other values.
    """
    if people <= MOST_EXACT:
        chances = binomial(people - 1, share)
        absent, present = (
            _mixed(mechanism, ((k + own, p) for k, p in enumerate(chances) if p)) for own in (0, 1)
        )
        after = guessed(absent, present, weights)
        return after, after
    others = Counted.of(people - 1, share)
    rows = ((mechanism.row(k), mechanism.row(k + 1), p) for k, p in others)
    return enclosed(rows, weights, [others])


@dataclass(frozen=True, slots=True)
class Counted:
    """How many of so many people are counted, in floats: the likely numbers, from ``base`` on."""

    base: int
    chances: tuple[float, ...]
    lost: fmpq
    """At most the chance of all other numbers."""
    steps: int
    """How many roundings are behind each."""

    @classmethod
    def of(cls, people: int, share: Fraction) -> "Counted":
        """Return it for people who are counted with a chance, independently."""
        policy = Policy(SecretGraph.complete(["no", "yes"]), people + 1)
        beliefs = 1 - rational(share), rational(share)
        found = Population.of(policy, beliefs).counts_of_others([0, 1])
        [(base, line)] = found.by_cell
        return cls(base, tuple(line.tolist()), rational(found.lost), found.steps)

    def __iter__(self) -> Iterator[tuple[int, float]]:
        return enumerate(self.chances, self.base)

    def __len__(self) -> int:
        return len(self.chances)


def enclosed(
    rows: Iterable[tuple[Row, Row, float]], weights: Weights, others: Sequence[Counted]
) -> tuple[float, float]:
    """Enclose the best guess between rows that are mixed in floats.

    All terms are positive, so that rounding is relatively small: docs/proofs/one-person.md.
    """
    seen: tuple[dict[Hashable, float], ...] = (defaultdict(float), defaultdict(float))
    width = many = 0
    for absent, present, chance in rows:
        many += 1
        for sums, row in zip(seen, (absent, present), strict=True):
            width = max(width, len(row))
            for z, p in row.items():
                sums[z] += chance * float(p)
    low, high = (float(weight) for weight in weights)
    total = sum(
        max(low * seen[0].get(z, 0.0), high * seen[1].get(z, 0.0)) for z in {**seen[0], **seen[1]}
    )
    steps = sum(each.steps for each in others) + len(others) + width * (many + 2)
    slack = rational(1) + rational(ROUNDING) * steps
    lost = sum((each.lost for each in others), fmpq(0))
    before = max(weights)
    lower = max(rational(before), rational(total) * (1 - lost) / slack)
    upper = min(rational(1), rational(total) * slack + lost)
    return float_below(lower), float_above(upper)


def binomial(number: int, share: Fraction) -> list[Fraction]:
    """Return the chances of 0, 1, … of a number of people, exactly.

    >>> binomial(2, Fraction(1, 3))
    [Fraction(4, 9), Fraction(4, 9), Fraction(1, 9)]
    """
    from flint import fmpq_poly

    powers = fmpq_poly([1 - rational(share), rational(share)]) ** number
    found = list(map(fraction, powers.coeffs()))
    return found + [Fraction(0)] * (number + 1 - len(found))


def _mixed(mechanism: CountPerturbation, chances: Iterable[tuple[int, Fraction]]) -> Row:
    mixed: dict[Hashable, Fraction] = defaultdict(Fraction)
    for count, chance in chances:
        for z, p in mechanism.row(count).items():
            mixed[z] += chance * p
    return mixed
