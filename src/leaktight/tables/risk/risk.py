"""If a table is handed out, who can be found in it, and what is learnt of them?"""

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from itertools import combinations as subsets
from math import comb
from typing import Any

from leaktight.errors import InvalidInput, TooLarge
from leaktight.exact.numbers import Number, fraction, rational
from leaktight.exact.ratio import Ratio
from leaktight.exact.rounding import float_above
from leaktight.exact.shown import above, shown
from leaktight.tables.risk.answer import Changed, Exposure, Partly, Risk
from leaktight.tables.risk.change import Change
from leaktight.tables.risk.coded import ONE_WORD, Coded, coded, followed, one_row_each
from leaktight.tables.risk.engine import Sources
from leaktight.tables.risk.groups import Grouped, grouped, noisy_gain, worst_rows

MOST_COMBINATIONS = 10_000
"""The most combinations of columns that are looked at."""

FEW = 16
"""If groups have so many people or more, those who are alike are counted once for all."""

WORST = 10
"""How many rows at most risk are named."""

NO_GUARANTEE = "none: a table that is only coarser has no privacy guarantee"


def risk(
    source: Any,
    known: Sequence[str],
    secret: str | Sequence[str] = (),
    *,
    table: str | None = None,
    combinations: int = 2,
    partly: Mapping[Sequence[str], Number] | None = None,
    then: Any = (),
    person: str | None = None,
    changes: "Sequence[Change | Sequence[Change]]" = (),
    rows: bool = False,
    progress: Callable[[str], object] = lambda what: None,
) -> Risk:
    """Return how likely somebody finds a person's row in a table, or guesses a secret of theirs.

    Each row is a person, and each person as likely the one that is looked for. The attacker has
    the table and knows the ``known`` columns of the person; several ``secret`` columns are guessed
    together. A missing value is a value of its own, as somebody may know that it is missing.

    ``source`` is a file or a frame as for :func:`release`; everything is counted by DuckDB, or by
    Spark if it is a frame of Spark, and only numbers of groups leave the engine. ``combinations``
    is the largest number of known columns that are looked at together, besides all of them.
    ``partly`` says which columns are known of which share of people. ``then`` has further releases
    of the same people, whose rows can be linked by the column ``person``. ``changes`` are tried
    each by itself, or several together if listed. With ``rows`` the ten rows at most risk are
    named. ``progress`` is told what is being counted.

    >>> import polars
    >>> people = polars.DataFrame({"zip": ["1000", "1000", "2000"], "age": [30, 40, 30],
    ...                            "illness": ["flu", "flu", "none"]})
    >>> found = risk(people, ["zip", "age"], "illness", changes=[Change.drop("age")])
    >>> print(found)
    3 people, zip, age known: a row is found with 33.3% before, 100% after; 3 unique;
    illness is guessed with 66.7% before, 100% after
    >>> found.changes[0].what, found.changes[0].find, found.changes[0].unique
    ('without age', Fraction(2, 3), 1)
    """
    columns, wanted = _names(known, "known"), _names(secret, "secret", least=0)
    if both := {*columns} & {*wanted}:
        raise InvalidInput(f"the column {min(both)!r} cannot be both known and secret")
    number = count_combinations(len(columns), combinations)
    shares = _shares(partly, columns)
    tried = [_together(each, columns, wanted) for each in _several(changes)]
    later = _several(then)
    if later and person is None:
        raise InvalidInput("further releases need person=, the column that says whose a row is")
    if person in (*columns, *wanted):
        raise InvalidInput(f"the column {person!r} cannot be both a person and known or secret")
    sources = Sources()
    try:
        progress("reading the table")
        read = [*columns, *wanted, *([person] if person is not None else [])]
        first = sources.frame(source, read, table)
        assert sources.engine is not None
        if rows and sources.engine.text != "VARCHAR":
            raise InvalidInput("rows of Spark have no numbers; leave rows= out")
        counted = coded(sources.engine, first, [*columns, *wanted], person=person, numbered=rows)
        if person is not None:
            one_row_each(sources.engine, counted, person)
        progress("grouping people")
        asked = _Asked(counted, wanted)
        whole = asked.about(columns)
        worst = worst_rows(counted, columns, wanted, WORST) if rows else ()
        releases = []
        joint, names = counted, list(columns)
        for place, other in enumerate(later, 2):
            progress(f"joining release {place}")
            assert person is not None
            frame = sources.frame(other, [*columns, person])
            if frame.collect_schema()[person] != first.collect_schema()[person]:
                raise InvalidInput(f"the column {person!r} must be of one type in all releases")
            next_one = coded(sources.engine, frame, columns, person=person)
            one_row_each(sources.engine, next_one, person)
            joint = followed(joint, next_one, f"release {place}")
            names += [f"{column}, release {place}" for column in columns]
            releases.append(grouped(joint, names, wanted).exposure)
        more = number + len(shares) + len(tried)
        if more > 1 and FEW * whole.groups <= counted.rows:
            asked = _Asked(counted.collapsed(), wanted)
        before = asked.about(())
        found = []
        for at, chosen in enumerate(_combinations(columns, combinations), 1):
            progress(f"combination {at:,} of {number:,}")
            found.append(asked.about(chosen).exposure)
        changed = []
        for each in tried:
            progress(" + ".join(map(str, each)))
            changed.append(_changed(asked, each, columns))
        return Risk(
            rows=counted.rows,
            known=columns,
            secret=wanted,
            find=before.exposure.find,
            guess=before.exposure.guess,
            exposure=whole.exposure,
            crowds=whole.crowds,
            worst=worst,
            combinations=tuple(sorted(found, key=_worst_first)),
            releases=tuple(releases),
            partly=_partly(asked, shares) if partly is not None else None,
            changes=tuple(changed),
        )
    finally:
        sources.close()


def count_combinations(columns: int, most: int) -> int:
    """Return how many combinations of up to ``most`` columns there are; all of them are counted.

    >>> count_combinations(5, 2), count_combinations(5, 5)
    (15, 30)
    """
    if not isinstance(most, int) or isinstance(most, bool) or most < 0:
        raise InvalidInput(f"combinations is the most columns of one, 0 or more, got {most!r:.60}")
    number = sum(comb(columns, size) for size in range(1, min(most, columns - 1) + 1))
    if number > MOST_COMBINATIONS:
        raise TooLarge(
            f"there are {number:,} combinations of up to {most} of {columns} columns, more than "
            f"{MOST_COMBINATIONS:,}; ask for fewer columns, or for smaller combinations"
        )
    return number


class _Asked:
    """The groups of a table by what is known, each counted once."""

    def __init__(self, table: Coded, secret: tuple[str, ...]) -> None:
        self.table, self.secret = table, secret
        self._found: dict[frozenset[str], Grouped] = {}

    def about(self, known: Sequence[str]) -> Grouped:
        key = frozenset(known)
        if key not in self._found:
            self._found[key] = grouped(self.table, known, self.secret)
        return self._found[key]


def _combinations(columns: tuple[str, ...], most: int) -> list[tuple[str, ...]]:
    sizes = range(1, min(most, len(columns) - 1) + 1)
    return [chosen for size in sizes for chosen in subsets(columns, size)]


def _worst_first(one: Exposure) -> tuple[Any, ...]:
    return len(one.known), -one.find, -(one.guess or 0), one.known


def _partly(asked: _Asked, shares: Sequence[tuple[tuple[str, ...], Fraction]]) -> Partly:
    """Mix what is found with each knowledge by how often it is there."""
    rest = 1 - sum(share for _, share in shares)
    parts = [(asked.about(chosen).exposure, share) for chosen, share in [*shares, ((), rest)]]
    find = sum((share * part.find for part, share in parts), Fraction(0))
    guess = sum((share * (part.guess or Fraction(0)) for part, share in parts), Fraction(0))
    return Partly(tuple(shares), find, guess if asked.secret else None)


# --- what would help -------------------------------------------------------------------------


def _changed(asked: _Asked, together: tuple[Change, ...], columns: tuple[str, ...]) -> Changed:
    """Return the risk if columns are released otherwise; see docs/proofs/risk.md for noise."""
    coarser, secret = asked.table, asked.secret
    for each in together:
        if each.cuts or each.letters is not None:
            coarser = each.applied(coarser)
    after = asked if coarser is asked.table else _Asked(coarser, secret)
    dropped = {each.column for each in together if each.is_drop}
    left = tuple(column for column in columns if column not in dropped)
    what, whole = " + ".join(map(str, together)), after.about(left)
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
    rest, chance = after.about(others), None
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


# --- what is asked ---------------------------------------------------------------------------


def _several(given: Any) -> list[Any]:
    """Return what is listed, or the only one."""
    return list(given) if isinstance(given, list | tuple) else [given]


def _names(given: Any, what: str, least: int = 1) -> tuple[str, ...]:
    names = _several(given)
    if len(names) < least or len({*map(repr, names)}) < len(names):
        raise InvalidInput(f"{what} must be names of columns, each once, got {given!r:.60}")
    if not all(isinstance(name, str) for name in names):
        raise InvalidInput(f"{what} must be names of columns, got {given!r:.60}")
    return tuple(names)


def _shares(partly: Any, columns: tuple[str, ...]) -> list[tuple[tuple[str, ...], Fraction]]:
    if partly is None:
        return []
    if not isinstance(partly, Mapping):
        raise InvalidInput(f'partly must be shares such as {{("age",): "1/2"}}, got {partly!r:.60}')
    found = []
    for names, share in partly.items():
        chosen, number = _names(names, "the columns of partly"), fraction(rational(share))
        if unknown := [name for name in chosen if name not in columns]:
            raise InvalidInput(f"partly is about known columns, got {unknown[0]!r}")
        if number < 0:
            raise InvalidInput(f"a share of people must be at least 0, got {shown(number)}")
        found.append((chosen, number))
    if sum(share for _, share in found) > 1:
        raise InvalidInput("the shares of people in partly must sum to at most 1")
    return found


def _together(given: Any, columns: tuple[str, ...], secret: tuple[str, ...]) -> tuple[Change, ...]:
    changes = _several(given)
    if not changes or not all(isinstance(each, Change) for each in changes):
        raise InvalidInput(f'a change is such as Change.drop("age"), got {given!r:.60}')
    if len({each.column for each in changes}) < len(changes):
        raise InvalidInput("changes that are tried together must be of different columns")
    if sum(each.ratio is not None for each in changes) > 1:
        raise InvalidInput("only one column at a time can have noise")
    for each in changes:
        if each.column not in columns and (each.ratio is None or each.column not in secret):
            raise InvalidInput(
                f"a known column can be changed, and a secret one can have noise; {each.column!r} "
                "is neither"
            )
    return tuple(changes)


def _expect_room(ratio: Fraction, rows: int) -> None:
    if ratio.numerator * rows > ONE_WORD:
        raise TooLarge(
            f"a ratio of {shown(ratio)} on {rows:,} rows is more than the engine counts exactly; "
            "use a shorter ratio"
        )
