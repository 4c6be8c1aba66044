"""The independent route: all databases, neighbours by definition, and what is seen of each.

Nothing here uses how leaktight computes: it reads the literals of a setting, and of a mechanism its
parameters or its matrix. A :class:`World` lists databases; a :class:`Crowd` goes through how many
of 64 or so records have each value, in floats.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import product
from typing import Any

import numpy as np

import leaktight as lt
from fuzz.combinations.noises import Shape, shape_of
from fuzz.combinations.settings import Setting
from leaktight.channels import AllOrNothing, Parallel, Shuffled
from leaktight.channels.all_or_nothing import NO_ANSWER

MOST_DATABASES = 130
"""The most databases that are listed: three records of five values."""

MOST_ENTRIES = 60_000
"""The most entries of what is seen of all databases together."""

MOST_REPEATED = 100
"""The most entries of a view of which two looks are listed."""

Seen = dict[Any, Fraction]
"""How likely each output is."""


def rows_by_input(channel: lt.Channel) -> dict[Any, Seen]:
    """Return the rows of a channel as fractions; a float is the number that it is."""
    found = {}
    for x, row in zip(channel.inputs, channel.matrix, strict=True):
        exact = [Fraction(int(p.p), int(p.q)) if channel.is_exact else Fraction(p) for p in row]
        found[x] = dict(zip(channel.outputs, exact, strict=True))
    return found


def matrix_of(mechanism: Any) -> dict[Any, Seen]:
    """Return what is seen of each input of a mechanism that has a matrix."""
    return rows_by_input(mechanism if isinstance(mechanism, lt.Channel) else mechanism.channel)


@dataclass(frozen=True, eq=False)
class World:
    """All databases of a policy, and which are neighbours."""

    cell: Setting

    @cached_property
    def databases(self) -> list[tuple[Any, ...]]:
        """Those that agree with what is public."""
        every = product(self.cell.space.values, repeat=self.cell.records)
        return [database for database in every if self.cell.is_possible(database)]

    @cached_property
    def told(self) -> list[tuple[int, ...]]:
        """What the published counts say of each database."""
        return [tuple(c.of(d) for c in self.cell.counts if c.told) for d in self.databases]

    @cached_property
    def neighbours(self) -> list[tuple[int, int]]:
        """The pairs of Definition 2 of [Edwards2021]_, in either direction.

        From D, a database is its set of changes (record, new value), of which some are secret; it
        is a neighbour if no other has fewer secret ones, or the same and fewer in all. Databases
        that published counts tell apart anyway are not compared.
        """
        pairs, found = self.cell.space.pairs, set()
        assert pairs is not None
        place = {v: i for i, v in enumerate(self.cell.space.values)}
        for i, d in enumerate(self.databases):
            changes = []
            for j, e in enumerate(self.databases):
                if self.told[i] != self.told[j]:
                    continue
                secret = whole = 0
                for k, (u, v) in enumerate(zip(d, e, strict=True)):
                    if u != v:
                        bit = 1 << (k * len(place) + place[v])
                        whole |= bit
                        secret |= bit if frozenset((u, v)) in pairs else 0
                if secret:
                    changes.append((secret, whole, j))
            for s, t, j in changes:
                if not any(
                    (s2 != s and s2 & s == s2) or (s2 == s and t2 != t and t2 & t == t2)
                    for s2, t2, _ in changes
                ):
                    found.add((min(i, j), max(i, j)))
        return sorted(found)

    def distance(self, i: int, j: int) -> float:
        """Return how far apart two databases are, where values have distances."""
        lengths = self.cell.space.lengths
        assert lengths is not None
        return sum(lengths[u, v] for u, v in zip(self.databases[i], self.databases[j], strict=True))

    @cached_property
    def answers(self) -> list[Any]:
        """What a mechanism sees of each database."""
        return [self.cell.answer(d) for d in self.databases]

    # --- what is seen

    @cached_property
    def seen(self) -> list[Seen] | None:
        """What is seen of each database; None if that is too much to list."""
        return self.seen_of(self.cell.mechanism)

    def seen_of(self, mechanism: Any, on: str | None = None) -> list[Seen] | None:
        """Return what a mechanism shows of each database; None if it is too much to list."""
        if mechanism is None or not self.cell.is_answered:
            return None
        rows = list(self._rows(mechanism, on or self.cell.on))
        return rows if len(rows) == len(self.databases) else None

    def _rows(self, mechanism: Any, on: str) -> Iterator[Seen]:
        shape = shape_of(mechanism)
        if on == "answer" and shape is not None and self.cell.is_sum:
            yield from self._noisy(shape)
        elif isinstance(mechanism, AllOrNothing):
            yield from self._all_or_nothing(mechanism)
        elif isinstance(mechanism, Shuffled):
            each = rows_by_input(mechanism.channel)
            for d in self.databases:
                shown: Seen = {}
                for z, p in _joint([each[v] for v in d]).items():
                    key = tuple(z.count(output) for output in mechanism.channel.outputs)
                    shown[key] = shown.get(key, Fraction(0)) + p
                yield shown
        elif isinstance(mechanism, Parallel):
            listed = [rows_by_input(one) for one, times in mechanism.factors for _ in range(times)]
            for d in self.databases:
                yield _joint([one[v] for one, v in zip(listed, d, strict=True)])
        elif on == "record":
            each = matrix_of(mechanism)
            size = len(self.databases) * len(next(iter(each.values()))) ** self.cell.records
            if size <= MOST_ENTRIES and all(v in each for v in self.cell.space.values):
                yield from (_joint([each[v] for v in d]) for d in self.databases)
        else:
            each = matrix_of(mechanism)
            if all(a in each for a in self.answers):
                yield from (each[a] for a in self.answers)

    def _noisy(self, shape: Shape) -> Iterator[Seen]:
        cells = [a if isinstance(a, tuple) else (a,) for a in self.answers]
        if not all(isinstance(x, int) for a in cells for x in a):
            return
        ends = [(min(column), max(column)) for column in zip(*cells, strict=True)]
        size = math.prod(high - low + 2 * (shape.start + shape.period) for low, high in ends)
        if size * len(cells) > MOST_ENTRIES:
            return
        for a in cells:
            yield _joint([shape.seen(x, *end) for x, end in zip(a, ends, strict=True)])

    def _all_or_nothing(self, mechanism: AllOrNothing) -> Iterator[Seen]:
        each = [one for one, times in mechanism.factors for _ in range(times)]
        for d in self.databases:
            rows = [rows_by_input(one.channel)[v] for one, v in zip(each, d, strict=True)]
            shown = {z: p * mechanism.kept for z, p in _joint(rows).items() if NO_ANSWER not in z}
            instead = tuple(
                one.instead[one.channel.inputs.index(v)] for one, v in zip(each, d, strict=True)
            )
            shown[instead] = shown.get(instead, Fraction(0)) + 1 - sum(shown.values())
            yield shown

    # --- what follows

    def level(self, seen: list[Seen]) -> Fraction | float:
        """Return the largest ratio between neighbours."""
        return max((ratio(seen[i], seen[j]) for i, j in self.neighbours), default=Fraction(1))

    def rate(self, seen: list[Seen]) -> float:
        """Return the largest ln(ratio)/distance."""
        found, n = 0.0, len(self.databases)
        for i, j in product(range(n), repeat=2):
            if i < j and (most := ratio(seen[i], seen[j])) != 1:
                size = math.inf if most == math.inf else _log(Fraction(most))
                found = max(found, size / self.distance(i, j))
        return found

    def sensitivity(self) -> Any:
        """Return by how much answers of neighbours differ at most, over all coordinates."""
        found = Fraction(0)
        for i, j in self.neighbours:
            a, b = (x if isinstance(x, tuple) else (x,) for x in (self.answers[i], self.answers[j]))
            change = sum((abs(Fraction(x) - Fraction(y)) for x, y in zip(a, b, strict=True)))
            found = max(found, Fraction(change))
        return found

    def views(self, seen: list[Seen]) -> list[dict[Any, Seen]]:
        """Return what is seen of each value of a record, for all others and published counts."""
        found: dict[Any, dict[Any, Seen]] = {}
        for at, d in enumerate(self.databases):
            for k, value in enumerate(d):
                key = (k, (*d[:k], *d[k + 1 :]), self.told[at])
                found.setdefault(key, {})[value] = seen[at]
        same = {tuple((v, id(row)) for v, row in view.items()): view for view in found.values()}
        return list(same.values())

    def informed(self, seen: list[Seen]) -> tuple[Fraction, Fraction, Fraction]:
        """Return the largest Σ max over all views, the best guess after one look and after two."""
        return self._guessed(self.views(seen))

    def open_informed(self, seen: list[Seen]) -> tuple[Fraction, Fraction, Fraction]:
        """Return the same for those alone whose value is not known already, if there are such."""
        prior, views = self.cell.prior, self.views(seen)
        unsure = [view for view in views if sum(prior[v] > 0 for v in view) > 1]
        most = max(guess(view, dict.fromkeys(view, Fraction(1))) for view in views)
        return most, *self._guessed(unsure or views)[1:]

    def _guessed(self, views: list[dict[Any, Seen]]) -> tuple[Fraction, Fraction, Fraction]:
        factors, once, twice = [], [], []
        for view in views:
            factors.append(guess(view, dict.fromkeys(view, Fraction(1))))
            own = {v: self.cell.prior[v] for v in view}
            if whole := sum(own.values()):
                once.append(guess(view, own) / whole)
                if sum(len(row) for row in view.values()) <= MOST_REPEATED:
                    twice.append(guess(view, own, looks=2) / whole)
                else:
                    twice.append(once[-1])
        return max(factors), max(once, default=Fraction(1)), max(twice, default=Fraction(1))

    @cached_property
    def chances(self) -> list[Fraction]:
        """How likely each database is, if records are independent but for what is public."""
        prior = self.cell.prior
        each = [math.prod((prior[v] for v in d), start=Fraction(1)) for d in self.databases]
        return [p / sum(each) for p in each] if sum(each) else each

    def uninformed(self, seen: list[Seen]) -> Fraction:
        """Return the chance of the best guess of one record by who knows nobody."""
        found = []
        for k in range(self.cell.records):
            joint: dict[Any, dict[Any, Fraction]] = {}
            for at, d in enumerate(self.databases):
                for z, p in seen[at].items():
                    column = joint.setdefault((self.told[at], z), {})
                    column[d[k]] = column.get(d[k], Fraction(0)) + self.chances[at] * p
            found.append(sum((max(column.values()) for column in joint.values()), Fraction(0)))
        return max(found)

    def odds(self, seen: list[Seen]) -> tuple[Fraction | float, Fraction]:
        """Return by how much an output changes the odds of two values of a record at most, given
        the counts, and the largest chance of a value after any output, on average over these.
        """
        change: Fraction | float = Fraction(1)
        after = Fraction(0)
        for told in sorted(set(self.told)):
            here = [at for at, each in enumerate(self.told) if each == told]
            best = Fraction(0)
            for k in range(self.cell.records):
                rows: dict[Any, Seen] = {}
                for at in here:
                    row = rows.setdefault(self.databases[at][k], {})
                    for z, p in seen[at].items():
                        row[z] = row.get(z, Fraction(0)) + self.chances[at] * p
                sums = {v: sum(row.values()) for v, row in rows.items()}
                given = {
                    v: {z: p / sums[v] for z, p in row.items()}
                    for v, row in rows.items() if sums[v]
                }  # fmt: skip
                change = max(
                    [change, *(ratio(a, b) for a in given.values() for b in given.values())]
                )
                whole = {z: sum(row.get(z, Fraction(0)) for row in rows.values())
                         for z in {z for row in rows.values() for z in row}}  # fmt: skip
                best = max([best, *(row[z] / whole[z] for row in rows.values()
                                    for z in row if whole[z])])  # fmt: skip
            after += best * sum((self.chances[at] for at in here), Fraction(0))
        return change, after


def ratio(one: Seen, other: Seen) -> Fraction | float:
    """Return the largest ratio of two rows, either way; 0 against 0 is none."""
    most: Fraction | float = Fraction(1)
    for z in {*one, *other}:
        p, q = one.get(z, Fraction(0)), other.get(z, Fraction(0))
        if p != q:
            if not p or not q:
                return math.inf
            most = max(most, p / q, q / p)
    return most


def guess(view: dict[Any, Seen], weights: dict[Any, Fraction], looks: int = 1) -> Fraction:
    """Return Σ_z max_v weight(v)·K(z|v), z being all that is seen in so many looks."""
    best: dict[Any, int] = {}
    parts = math.lcm(*{p.denominator for row in view.values() for p in row.values()})
    units = math.lcm(*{weights[v].denominator for v in view})
    for v, row in view.items():
        weight = int(weights[v] * units)
        each = [(z, p.numerator * (parts // p.denominator)) for z, p in row.items() if p]
        for seen in product(each, repeat=looks):
            outputs, chances = zip(*seen, strict=True)
            best[outputs] = max(best.get(outputs, 0), weight * math.prod(chances))
    return Fraction(sum(best.values()), parts**looks * units)


def _joint(rows: list[Seen]) -> Seen:
    """Return how likely each tuple of outputs is, one of each row."""
    found: Seen = {(): Fraction(1)}
    for row in rows:
        found = {(*z, y): p * q for z, p in found.items() for y, q in row.items() if p and q}
    return found


def _log(value: Fraction) -> float:
    return math.log(value.numerator) - math.log(value.denominator)


def world_of(cell: Setting) -> World | None:
    """Return all databases of a policy, if they are few."""
    if cell.space.pairs is None and cell.space.lengths is None:
        return None
    if cell.records > 3 or len(cell.space.values) ** cell.records > MOST_DATABASES:
        return None
    return World(cell)


# --- many records ------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class Crowd:
    """Some 64 records that are alike: how many have each value, and how likely that is."""

    cell: Setting

    @cached_property
    def histograms(self) -> Any:
        """How many records have each value, a row for each possibility."""
        n, v = self.cell.records, len(self.cell.space.values)
        grid = np.indices((n + 1,) * (v - 1)).reshape(v - 1, -1).T
        grid = grid[grid.sum(axis=1) <= n]
        rows = np.column_stack([grid, n - grid.sum(axis=1)])
        kept = np.ones(len(rows), dtype=bool)
        for c in self.cell.counts:
            if not c.told:
                number = self.number(rows, c.values)
                kept &= (number >= c.least) & (number <= c.most)
        return rows[kept]

    def number(self, rows: Any, values: Any) -> Any:
        """Return how many records have one of some values."""
        return rows[:, [value in values for value in self.cell.space.values]].sum(axis=1)

    @cached_property
    def answers(self) -> list[Any]:
        """The answer for each row."""
        rows, cell = self.histograms, self.cell
        if cell.query_name == "most common":
            first = rows == rows.max(axis=1)[:, None]
            alone = first.sum(axis=1) == 1
            return [
                cell.space.values[int(k)] if one else "tie"
                for k, one in zip(first.argmax(axis=1), alone, strict=True)
            ]
        weights = np.array([cell.weight(value) for value in cell.space.values])
        answers = rows @ weights
        return [tuple(a) for a in answers.tolist()] if answers.ndim > 1 else answers.tolist()

    @cached_property
    def joint(self) -> dict[Any, Any]:
        """How likely each answer is together with each value of one record, told counts apart."""
        rows, n = self.histograms, self.cell.records
        prior = np.array([float(p) for p in self.cell.prior.values()])
        with np.errstate(divide="ignore", invalid="ignore"):
            logs = np.where(rows > 0, rows * np.log(prior), 0.0).sum(axis=1)
        faculties = np.array([math.lgamma(k + 1) for k in range(n + 1)])
        logs -= faculties[rows].sum(axis=1)
        if not len(logs) or logs.max() == -math.inf:
            return {}
        weights = np.exp(logs - logs.max())
        weights /= weights.sum()
        told = [self.number(rows, c.values).tolist() for c in self.cell.counts if c.told]
        keys = list(zip(self.answers, *told, strict=True))
        found: dict[Any, Any] = {}
        for key, row, weight in zip(keys, rows / n, weights, strict=True):
            found[key] = found.get(key, 0.0) + row * weight
        return found

    def rows(self, mechanism: Any) -> dict[Any, dict[Any, float]] | None:
        """Return what is seen of each answer, in floats; None if that is too much."""
        answers = sorted(set(self.answers), key=repr)
        shape = shape_of(mechanism)
        if shape is not None and self.cell.is_sum:
            if not all(isinstance(a, int) for a in answers) or len(answers) > 400:
                return None
            ends = min(answers), max(answers)
            return {a: _floats(shape.seen(a, *ends)) for a in answers}
        if isinstance(mechanism, Parallel | Shuffled | AllOrNothing) or len(answers) > 400:
            return None
        each = matrix_of(mechanism)
        return {a: _floats(each[a]) for a in answers}

    def uninformed(self, rows: dict[Any, dict[Any, float]]) -> float:
        """Return the chance of the best guess of one record by who knows nobody."""
        outputs = list(dict.fromkeys(z for row in rows.values() for z in row))
        table = {a: np.array([row.get(z, 0.0) for z in outputs]) for a, row in rows.items()}
        joint: dict[Any, Any] = {}
        for (answer, *told), chances in self.joint.items():
            shown = np.outer(chances, table[answer])
            joint[tuple(told)] = joint.get(tuple(told), 0.0) + shown
        return float(sum(each.max(axis=0).sum() for each in joint.values()))

    def neighbours(self) -> set[tuple[Any, Any]]:
        """Return the pairs of answers of neighbours that differ in one record alone."""
        cell, rows = self.cell, map(tuple, self.histograms.tolist())
        answers = dict(zip(rows, self.answers, strict=True))
        place = {v: i for i, v in enumerate(cell.space.values)}
        assert cell.space.pairs is not None
        found = set()
        for u, v in (tuple(pair) for pair in cell.space.pairs):
            for row, answer in answers.items():
                if row[place[u]]:
                    moved = list(row)
                    moved[place[u]] -= 1
                    moved[place[v]] += 1
                    if tuple(moved) in answers:
                        found.add((answer, answers[tuple(moved)]))
        return found

    def level(self, rows: dict[Any, dict[Any, float]]) -> float:
        """Return the largest ratio between answers of such neighbours."""
        most = 1.0
        for a, b in self.neighbours():
            for z in {*rows[a], *rows[b]}:
                p, q = rows[a].get(z, 0.0), rows[b].get(z, 0.0)
                if p != q:
                    most = max(most, p / q if q else math.inf, q / p if p else math.inf)
        return most


def _floats(row: Seen) -> dict[Any, float]:
    return {z: float(p) for z, p in row.items()}


def crowd_of(cell: Setting) -> Crowd | None:
    """Return some 64 records that are alike; None if they are not, or not so many."""
    if cell.space.pairs is None or not cell.is_symmetric or not 3 <= cell.records <= 100:
        return None
    if not cell.is_answered:
        return None
    if len(cell.space.values) > 4 or cell.on != "answer" or cell.query_name.startswith("a "):
        return None
    return Crowd(cell)
