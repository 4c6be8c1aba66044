"""Distributions: priors, rows and posteriors."""

import math
from collections import Counter
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sized
from contextlib import suppress
from dataclasses import dataclass
from itertools import product
from typing import Any, TypeAlias

import numpy as np
from flint import fmpq

from leaktight.errors import InvalidDistribution, InvalidNumber, Mismatch, TooLarge, is_list
from leaktight.exact.matrix import as_mapping
from leaktight.exact.numbers import (
    Array,
    Value,
    exact_array,
    is_exact,
    kept,
    kept_floats,
    public,
    rational,
    read_numbers,
    total,
)
from leaktight.exact.shown import shown
from leaktight.exact.tolerances import TOLERANCES
from leaktight.labels import Labels, alignment, listed_labels, position, positions, read_labels
from leaktight.limits import allowed

LARGEST = 2**27
"""The most numbers that one array may hold: a gigabyte of floats."""


@dataclass(frozen=True, slots=True, init=False, eq=False, repr=False)
class Distribution:
    """A distribution on labelled values, exact or floating-point.

    >>> prior = Distribution({"yes": "1/10", "no": "9/10"})
    >>> prior["no"]
    Fraction(9, 10)
    >>> prior.is_exact, prior.float()["no"]
    (True, 0.9)
    """

    values: Labels
    array: Array

    def __init__(
        self,
        probabilities: Mapping[Hashable, Any] | Iterable[Any],
        values: Iterable[Hashable] | None = None,
    ) -> None:
        if isinstance(probabilities, Distribution):
            values = probabilities.values if values is None else values
            probabilities = probabilities.array
        else:
            values, probabilities = _unlabelled(probabilities, values)
        try:
            array = read_numbers(probabilities)
        except InvalidNumber as wrong:
            raise InvalidDistribution(f"a probability must be a number: {wrong}") from None
        if array.ndim != 1:
            raise InvalidDistribution(
                f"a distribution must be one row of numbers, got {array.ndim} axes"
            )
        if not len(array):
            raise InvalidDistribution("a distribution needs at least one value, got none")
        labels = read_labels(values, len(array), "value", InvalidDistribution)
        _check(array, labels)
        self._set(labels, array)

    def _set(self, values: Labels, array: Array) -> None:
        array.flags.writeable = False
        object.__setattr__(self, "values", values)
        object.__setattr__(self, "array", array)

    @classmethod
    def trusted(cls, values: Labels, array: Array) -> "Distribution":
        """Wrap an array that is known to be a distribution."""
        made = cls.__new__(cls)
        made._set(values, array)
        return made

    @classmethod
    def uniform(cls, values: Iterable[Hashable] | int) -> "Distribution":
        """All values alike.

        >>> Distribution.uniform(["a", "b", "c"])["a"]
        Fraction(1, 3)
        """
        return _uniform(listed_labels(values, "value", InvalidDistribution))

    @classmethod
    def point(cls, value: Hashable, values: Iterable[Hashable]) -> "Distribution":
        """Certainly ``value``."""
        labels = listed_labels(values, "value", InvalidDistribution)
        at = position(value, labels, "value")
        return cls([int(i == at) for i in range(len(labels))], labels)

    @classmethod
    def from_counts(
        cls,
        counts: Mapping[Hashable, Any] | Iterable[Any],
        values: Iterable[Hashable] | None = None,
    ) -> "Distribution":
        """Non-negative counts or weights, divided by their sum; a column of texts is counted.

        >>> Distribution.from_counts({"yes": 1, "no": 9})["no"]
        Fraction(9, 10)
        >>> Distribution.from_counts(["no", "yes", "no"])["no"]
        Fraction(2, 3)
        """
        if values is None and (texts := _column(counts)):
            counts = texts
        values, counts = _unlabelled(counts, values)
        which: Any = slice(None)
        if isinstance(counts, np.ndarray) and counts.ndim == 1 and counts.dtype.kind in "iu":
            counts, which = np.unique(counts, return_inverse=True)  # few are different
        try:
            weights = read_numbers(counts)
            whole = total(weights[which])
        except (InvalidNumber, OverflowError) as wrong:
            raise InvalidDistribution(f"a count must be a number: {wrong}") from None
        if not whole > 0 or whole in (math.inf, math.nan):
            raise InvalidDistribution(f"the counts must sum to more than 0, got {whole}")
        return cls(kept(weights / whole, weights)[which], values)

    @property
    def is_exact(self) -> bool:
        """Whether all probabilities are exact rationals."""
        return is_exact(self.array)

    @property
    def factors(self) -> "tuple[tuple[Distribution, int], ...]":
        """The independent individuals that it is of: one, once."""
        return ((self, 1),)

    def expand(self) -> "Distribution":
        """The distribution itself, of which there is nothing to multiply."""
        return self

    @property
    def support(self) -> Labels:
        """The values of positive probability."""
        return tuple(v for v, p in zip(self.values, self.array, strict=True) if p > 0)

    def exact(self) -> "Distribution":
        """The exact binary value of every float, divided by their exact sum."""
        if self.is_exact:
            return self
        numbers = exact_array(self.array)
        return Distribution.trusted(self.values, numbers / numbers.sum())

    def float(self) -> "Distribution":
        """Every probability rounded to the nearest float, none of which may vanish."""
        return Distribution.trusted(self.values, kept_floats(self.array)) if self.is_exact else self

    def on(self, values: Labels) -> "Distribution":
        """The same distribution in the order of ``values``, which must be the same labels."""
        order = alignment(values, self.values, "the prior and the channel's inputs")
        return self if order is None else Distribution.trusted(values, self.array[order])

    def items(self) -> Iterator[tuple[Hashable, Value]]:
        """Each value with its probability."""
        return zip(self.values, map(public, self.array), strict=True)

    def __getitem__(self, value: Hashable) -> Value:
        return public(self.array[position(value, self.values, "value")])

    def __len__(self) -> int:
        return len(self.values)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Distribution):
            return NotImplemented
        return self.values == other.values and bool(np.array_equal(self.array, other.array))

    def __hash__(self) -> int:
        return hash((self.values, tuple(self.array)))

    def __repr__(self) -> str:
        numbers = map(shown, self.array[:8]) if self.is_exact else self.array[:8]
        first = ", ".join(f"{v!r}: {p}" for v, p in zip(self.values[:8], numbers, strict=True))
        more = f", … {len(self) - 8} more" if len(self) > 8 else ""
        return f"Distribution({{{first}{more}}})"


def _unlabelled(
    numbers: Mapping[Hashable, Any] | Iterable[Any], values: Iterable[Hashable] | None
) -> tuple[Iterable[Hashable] | None, Iterable[Any]]:
    """Take the labels off a mapping or a pandas series."""
    if (named := as_mapping(numbers)) is not None:
        if values is not None:
            raise InvalidDistribution("a mapping already names its values; give no values=")
        return list(named), list(named.values())
    if not is_list(numbers):
        raise InvalidDistribution(f"expected probabilities, got {numbers!r:.60}")
    return values, numbers


def _column(entries: Any) -> Counter[str]:
    """Return how often each text of a column occurs; nothing if one is, or reads as, a number."""
    if isinstance(entries, Mapping | str | Iterator) or not isinstance(entries, Iterable):
        return Counter()
    if isinstance(entries, np.ndarray) and entries.dtype.kind in "iuf":
        return Counter()
    found = Counter(each for each in entries if isinstance(each, str))
    for each in found:
        with suppress(InvalidNumber):
            rational(each)
            return Counter()
    return found if found.total() == len(list(entries)) else Counter()


def _check(array: Array, labels: Labels) -> None:
    if not array.min() >= 0:  # also true of NaN
        at = next(i for i, p in enumerate(array) if not p >= 0)
        raise InvalidDistribution(
            f"the probability of {labels[at]!r} must be at least 0, got {shown(array[at])}"
        )
    whole = total(array)
    if is_exact(array):
        if whole != 1:
            raise InvalidDistribution(f"the probabilities must sum to 1, got {shown(whole)}")
    elif not abs(whole - 1) <= TOLERANCES.total:
        raise InvalidDistribution(
            f"the probabilities must sum to 1 up to rounding, got {whole!r}; "
            "to divide weights by their sum, use Distribution.from_counts"
        )


@dataclass(frozen=True, slots=True)
class ProductDistribution:
    """Independent individuals: the product of the ``factors``, each taken so many times.

    It is never multiplied out unless :meth:`expand` is called.

    >>> coin = Distribution({"heads": "2/3", "tails": "1/3"})
    >>> crowd = product_distribution(*[coin] * 1_000_000)
    >>> len(crowd)
    1000000
    >>> product_distribution(coin, coin).expand()["heads", "tails"]
    Fraction(2, 9)
    """

    factors: tuple[tuple[Distribution, int], ...]

    def __len__(self) -> int:
        return sum(times for _, times in self.factors)

    def expand(self) -> Distribution:
        """Multiply out; the values are tuples."""
        each = [factor for factor, times in self.factors for _ in range(times)]
        size = math.prod(map(len, each))
        if size > allowed(LARGEST):
            raise TooLarge(f"the product has {size:,} values, more than {allowed(LARGEST):,}")
        if not all(factor.is_exact for factor in each):
            each = [factor.float() for factor in each]
        array = each[0].array
        for factor in each[1:]:
            whole = np.multiply.outer(array, factor.array)
            array = kept(whole, array[:, None], factor.array).ravel()
        return Distribution.trusted(tuple(product(*(f.values for f in each))), array)


def product_distribution(*factors: Distribution) -> ProductDistribution:
    """Return the joint distribution of independent individuals."""
    if not factors:
        raise InvalidDistribution("a product needs at least one distribution, got none")
    for factor in factors:
        if not isinstance(factor, Distribution):
            raise InvalidDistribution(f"a factor must be a Distribution, got {factor!r:.60}")
    return ProductDistribution(runs(factors))


def runs(factors: Iterable[Any]) -> tuple[tuple[Any, int], ...]:
    """Count how often the same object follows itself."""
    counted: list[list[Any]] = []
    for factor in factors:
        if counted and counted[-1][0] is factor:
            counted[-1][1] += 1
        else:
            counted.append([factor, 1])
    return tuple((factor, times) for factor, times in counted)


PriorLike: TypeAlias = (
    Distribution | ProductDistribution | Mapping[Hashable, Any] | Iterable[Any] | None
)
"""A distribution on a channel's inputs, by label or by position; None is the uniform one."""


_READ = Distribution, ProductDistribution


def read_prior(prior: PriorLike) -> Distribution | ProductDistribution:
    """Return ``prior`` as a distribution on whatever values it names, or as a product of them."""
    if prior is None:
        raise InvalidDistribution("a prior must be given where there is no channel to fit it to")
    return prior if isinstance(prior, _READ) else Distribution(prior)


def known(prior: PriorLike) -> Distribution:
    """Return ``prior`` as a distribution on whatever values it names, multiplied out."""
    return read_prior(prior).expand()


def prior_on(prior: PriorLike, inputs: Labels) -> Distribution:
    """Return ``prior`` as a distribution on ``inputs`` in their order."""
    if prior is None:
        return _uniform(inputs)
    if isinstance(prior, _READ):
        return prior.expand().on(inputs)
    if (named := as_mapping(prior)) is not None:
        positions(named, inputs, "input")
        return Distribution([named.get(x, 0) for x in inputs], inputs)
    row = list(prior) if isinstance(prior, Iterator) else prior
    if isinstance(row, Sized) and getattr(row, "shape", ...) != () and len(row) == len(inputs):
        return Distribution(row, inputs)
    raise Mismatch(
        "the prior must have one probability per input, "
        f"got {len(Distribution(row))} for {len(inputs)}"
    )


def _uniform(labels: Labels) -> Distribution:
    return Distribution.trusted(labels, np.full(len(labels), fmpq(1, len(labels)), dtype=object))
