"""The risk of handing out a table: who can be found in it, and what is learnt of them."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Any

from leaktight.errors import InvalidInput, TooLarge, renamed
from leaktight.exact.numbers import Number, rational
from leaktight.exact.ratio import Ratio
from leaktight.exact.rounding import float_above
from leaktight.exact.shown import above, shown
from leaktight.tables.risk.answer import Changed, Exposure, KnownShare, Risk, Worst
from leaktight.tables.risk.change import Change
from leaktight.tables.risk.coded import (
    ONE_WORD,
    Coded,
    alike,
    are_few,
    coded,
    followed,
    one_row_each,
)
from leaktight.tables.risk.engine import Sources
from leaktight.tables.risk.groups import Grouped, grouped, noisy_gain, worst_rows
from leaktight.tables.risk.question import Question
from leaktight.tables.risk.sampled import of_simple_sample, of_weights
from leaktight.tables.source import place

FEW = 16
"""If groups have so many people or more, those who are alike are counted once for all."""

MOST_FEWER = 50
"""By how many combinations of fewer columns it is asked whether a row is alone."""

WORST = 10
"""How many rows at most risk are named."""

NO_GUARANTEE = "none: a table that is only coarser has no privacy guarantee"


@renamed(
    known="quasi_identifiers",
    secret="sensitive",
    partly="known_share",
    then="later_releases",
)
def risk(
    source: Any,
    quasi_identifiers: str | Sequence[str],
    sensitive: str | Sequence[str] = (),
    *,
    table: str | None = None,
    combinations: int = 2,
    known_share: Mapping[Sequence[str], Number] | None = None,
    later_releases: Any = (),
    person: str | None = None,
    changes: "Sequence[Change | Sequence[Change]]" = (),
    rows: bool = False,
    population: int | None = None,
    weights: str | None = None,
    progress: Callable[[str], object] = lambda what: None,
) -> Risk:
    """Return how likely somebody finds a person's row in a table, or guesses what is sensitive.

    Each row is a person, and each person as likely the one that is looked for. The adversary has
    the table and knows the quasi-identifiers of the person; several sensitive columns are guessed
    together. A missing value is a value of its own, as somebody may know that it is missing.
    Everything is counted by DuckDB, or by Spark if it is a frame of Spark, and only numbers of
    equivalence classes leave the engine.

    :param source: a file or a frame as for :func:`release`.
    :param quasi_identifiers: the columns that somebody may know of a person.
    :param sensitive: the columns that they want.
    :param table: the name of the table, if the source is a .duckdb file.
    :param combinations: the largest number of quasi-identifiers that are looked at together,
        besides all of them.
    :param known_share: which columns are known of which share of people; of the others nothing is.
    :param later_releases: further releases of the same people, whose rows can be linked by the
        column ``person``.
    :param person: the column that says whose a row is.
    :param changes: what is tried, each by itself, or several together if listed.
    :param rows: whether the ten rows at most risk are named.
    :param population: of how many people the table is a simple random sample.
    :param weights: the column that says how many people a row stands for; with either, ``sampled``
        has the risk of somebody who does not know who is in the sample, by a model.
    :param progress: is told what is being counted.

    >>> import polars
    >>> people = polars.DataFrame({"zip": ["1000", "1000", "2000"], "age": [30, 40, 30],
    ...                            "illness": ["flu", "flu", "none"]})
    >>> found = risk(people, ["zip", "age"], "illness", changes=[Change.drop("age")])
    >>> print(found)
    3 people, quasi-identifiers zip, age: a row is found with 33.3% before, 100% after; 3 unique;
    illness is guessed with 66.7% before, 100% after
    >>> found.changes[0].what, found.changes[0].find, found.changes[0].unique
    ('without age', Fraction(2, 3), 1)
    """
    asked = Question.of(
        quasi_identifiers, sensitive, combinations, known_share, later_releases, person, changes
    )
    if population is not None and weights is not None:
        raise InvalidInput("a sample has a population or weights, not both")
    if weights is not None and (not isinstance(weights, str) or weights in asked.columns):
        raise InvalidInput(f"weights must be another column, got {weights!r:.60}")
    sources = Sources((source, *asked.later))
    try:
        progress("reading the table")
        people = _read(sources, source, table, asked, rows, weights)
        progress("grouping people")
        groups = _Groups(people, asked.sensitive)
        whole = groups.by(asked.quasi_identifiers)
        worst = _worst(people, asked) if rows else ()
        releases = tuple(_later(sources, people, asked, progress))
        if people.is_raw and asked.again:
            groups = _Groups(people.numbered(), asked.sensitive)
        elif asked.again and FEW * whole.groups <= people.rows:
            groups = _Groups(people.collapsed(), asked.sensitive)
        before = groups.by(()).exposure
        return Risk(
            rows=people.rows,
            quasi_identifiers=asked.quasi_identifiers,
            sensitive=asked.sensitive,
            find=before.find,
            guess=before.guess,
            exposure=whole.exposure,
            crowds=whole.crowds,
            worst=worst,
            combinations=_combined(groups, asked, progress),
            releases=releases,
            known_share=_known_share(groups, asked.shares) if known_share is not None else None,
            changes=tuple(_changes(groups, asked, progress)),
            sampled=of_weights(people, asked.quasi_identifiers, weights)
            if weights is not None
            else of_simple_sample(whole, population)
            if population is not None
            else None,
        )
    finally:
        sources.close()


def _read(
    sources: Sources,
    source: Any,
    table: str | None,
    asked: Question,
    numbered: bool,
    weights: str | None,
) -> Coded:
    """Return the first release in numbers."""
    person = [asked.person] if asked.person is not None else []
    columns = [*asked.columns, *([weights] if weights is not None else [])]
    frame = sources.frame(source, [*columns, *person], table)
    assert sources.engine is not None
    if numbered and sources.engine.text != "VARCHAR":
        raise InvalidInput("rows of Spark have no numbers; leave rows= out")
    each = numbered or asked.person is not None or weights is not None
    if not each and (not asked.again or are_few(sources.engine, frame, columns)):
        return alike(sources.engine, frame, columns)
    found = coded(sources.engine, frame, columns, person=asked.person, numbered=numbered)
    if asked.person is not None:
        one_row_each(sources.engine, found, asked.person)
    return found


def _later(
    sources: Sources, first: Coded, asked: Question, progress: Callable[[str], object]
) -> Iterator[Exposure]:
    """Yield what is known after each later release of the same people."""
    joint, names, person = first, list(asked.quasi_identifiers), asked.person
    for number, source in enumerate(asked.later, 2):
        progress(f"joining release {number}")
        assert person is not None
        frame = sources.frame(source, [*asked.quasi_identifiers, person])
        if frame.collect_schema()[place(len(asked.quasi_identifiers))] != first.person:
            raise InvalidInput(f"the column {person!r} must be of one type in all releases")
        then = coded(first.engine, frame, asked.quasi_identifiers, person=person)
        one_row_each(first.engine, then, person)
        joint = followed(joint, then, f"release {number}")
        names += list(joint.columns)[-len(asked.quasi_identifiers) :]
        yield grouped(joint, names, asked.sensitive).exposure


def _worst(people: Coded, asked: Question) -> tuple[Worst, ...]:
    """Return the rows at most risk."""
    return worst_rows(
        people, asked.quasi_identifiers, asked.sensitive, WORST, asked.combinations[:MOST_FEWER]
    )


class _Groups:
    """The groups of a table by what is known, each counted once."""

    def __init__(self, table: Coded, secret: tuple[str, ...]) -> None:
        self.table, self.secret = table, secret
        self._found: dict[frozenset[str], Grouped] = {}

    def by(self, known: Sequence[str]) -> Grouped:
        key = frozenset(known)
        if key not in self._found:
            self._found[key] = grouped(self.table, known, self.secret)
        return self._found[key]


def _combined(
    groups: _Groups, asked: Question, progress: Callable[[str], object]
) -> tuple[Exposure, ...]:
    """Return what fewer columns tell, the most telling of each number first."""
    found, number = [], len(asked.combinations)
    for at, chosen in enumerate(asked.combinations, 1):
        progress(f"combination {at:,} of {number:,}")
        found.append(groups.by(chosen).exposure)
    return tuple(sorted(found, key=_worst_first))


def _worst_first(one: Exposure) -> tuple[Any, ...]:
    return len(one.quasi_identifiers), -one.find, -(one.guess or 0), one.quasi_identifiers


def _known_share(groups: _Groups, shares: Sequence[tuple[tuple[str, ...], Fraction]]) -> KnownShare:
    """Mix what is found with each knowledge by how often it is there."""
    rest = 1 - sum(share for _, share in shares)
    parts = [(groups.by(chosen).exposure, share) for chosen, share in [*shares, ((), rest)]]
    find = sum((share * part.find for part, share in parts), Fraction(0))
    guess = sum((share * (part.guess or Fraction(0)) for part, share in parts), Fraction(0))
    return KnownShare(tuple(shares), find, guess if groups.secret else None)


# --- what would help -------------------------------------------------------------------------


def _changes(
    groups: _Groups, asked: Question, progress: Callable[[str], object]
) -> Iterator[Changed]:
    """Yield the risk after each change that is tried."""
    for each in asked.changes:
        progress(" + ".join(map(str, each)))
        yield _changed(groups, each, asked.quasi_identifiers)


def _changed(groups: _Groups, together: tuple[Change, ...], columns: tuple[str, ...]) -> Changed:
    """Return the risk if columns are released otherwise; see docs/proofs/risk.md for noise."""
    coarser, secret = groups.table, groups.secret
    for each in together:
        if each.is_coarser:
            coarser = each.applied(coarser)
    after = groups if coarser is groups.table else _Groups(coarser, secret)
    dropped = {each.column for each in together if each.is_drop}
    left = tuple(column for column in columns if column not in dropped)
    what, whole = " + ".join(map(str, together)), after.by(left)
    noisy = next((each for each in together if each.ratio is not None), None)
    if noisy is None or noisy.ratio is None:
        seen = whole.exposure
        return Changed(what, seen.find, seen.guess, NO_GUARANTEE, unique=seen.unique)
    size = coarser.columns[noisy.column].size
    values = noisy.values or size
    if values < size:
        raise InvalidInput(
            f"the column {noisy.column!r} must have at most the {values:,} values that are "
            f"declared, and has {size:,}"
        )
    a, b = noisy.ratio.numerator, noisy.ratio.denominator
    total = (b * (values - 1) + a) * coarser.rows
    is_secret = noisy.column in secret
    # Of a secret with noise: what the row tells of it, if that is all that is known.
    others = [column for column in (secret if is_secret else left) if column != noisy.column]
    rest, chance = after.by(others), None
    if secret:
        _expect_room(noisy.ratio, coarser.rows)
        gain = noisy_gain(coarser, others, noisy.column, secret, noisy.ratio)
        chance = Fraction(gain + b * values * rest.most, total)
    guarantee = _guarantee(noisy, values)
    if is_secret:
        return Changed(what, whole.exposure.find, None, guarantee, noisy.ratio, read=chance)
    find = Fraction(a * whole.groups + b * (values * rest.groups - whole.groups), total)
    return Changed(what, find, chance, guarantee, noisy.ratio)


def _guarantee(noisy: Change, values: int) -> str:
    assert noisy.ratio is not None
    level, most = above(Ratio.of(noisy.ratio).epsilon), above(float_above(rational(noisy.ratio)))
    return (
        f"ε = {level} for {noisy.column} alone, if its {values:,} values are declared and not read "
        f"from the table: no answer is more than {most} times as likely for one value as for "
        "another, whatever else is known"
    )


def _expect_room(ratio: Fraction, rows: int) -> None:
    if ratio.numerator * rows > ONE_WORD:
        raise TooLarge(
            f"a ratio of {shown(ratio)} on {rows:,} rows is more than the engine counts exactly; "
            "use a shorter ratio"
        )
