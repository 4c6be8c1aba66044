"""Published bounds from ε to leakage, and what they say here.

All of them are in one table, :data:`PUBLISHED`, as corrected: where a paper assumes too little the
missing assumption is checked, where it proves more than it says the sharper form stands beside
it, marked as ours. But for those with few outputs each is an instance of one argument:
weights b ≥ 0 on the databases with Σ_i b_i λ^−d(i,j) ≥ 1 for every j bound the worst case
V = max Σ_z max_x K(z|x) by Σ b.
"""

import itertools
from collections.abc import Callable, Hashable, Iterable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from typing import Any

import numpy as np

from leaktight.errors import Mismatch, TooLarge, expect_whole
from leaktight.exact.numbers import Number, rational
from leaktight.exact.powers import Powers
from leaktight.exact.ratio import Ratio, RatioLike
from leaktight.policies.adjacency import AdjacencyGraph
from leaktight.policies.metric import Metric
from leaktight.policies.neighbours import Space, in_edges
from leaktight.policies.public_counts import PublicCounts
from leaktight.worst_case.published.assumptions import Setting
from leaktight.worst_case.published.bounds import (
    DIAMETERS,
    Inapplicable,
    LeakageBounds,
    PublishedBound,
    in_order,
)
from leaktight.worst_case.published.codes import CoveringCode, covering_code, hamming_blocks
from leaktight.worst_case.published.formulas import (
    agreeing,
    always,
    balls,
    borders,
    cliques,
    diameters,
    few_outputs,
    largest_of_records,
    no_agreeing,
    no_few_outputs,
    no_hamming,
    no_proposition_2,
    proposition_2,
    radii,
    repetition,
    vertex_count,
)
from leaktight.worst_case.under_counts import (
    database_bound,
    database_count,
    diameter_bound,
    tied_by_counts,
)


@dataclass(frozen=True, slots=True)
class Published:
    """A bound, as a function of the setting, and what it assumes.

    ``fails`` gives the reason why the assumption does not hold, empty if it does; ``beyond`` the
    reason why the paper does not say it of this setting, empty if it does. Then it is ours.
    """

    source: str
    form: str
    assumes: str
    fails: Callable[[Setting], str]
    factors: Callable[[Setting], Powers]
    beyond: Callable[[Setting], str] = always

    def at(self, setting: Setting) -> PublishedBound | Inapplicable:
        """Return what the bound says, or why it says nothing."""
        try:
            if reason := self.fails(setting):
                return Inapplicable(self.source, self.form, reason)
            factors = self.factors(setting)
        except TooLarge as error:
            return Inapplicable(self.source, self.form, str(error))
        form = f"{self.form} (ours)" if self.beyond(setting) else self.form
        return PublishedBound(self.source, form, self.assumes, factors)


def leakage_bounds(
    neighbours: Space,
    ratio: RatioLike = None,
    epsilon: Number | None = None,
    *,
    outputs: int | None = None,
    codes: Iterable[CoveringCode | Iterable[Hashable]] = (),
) -> LeakageBounds:
    """Return every published bound on the worst-case leakage of λ-private channels.

    Each bounds Σ_z max_x K(z|x), whose logarithm is the leakage under the uniform prior and the
    most under any. ``outputs`` says that a mechanism has at most so many; ``codes`` are covering
    codes, or sets of databases, for Theorem 4 of [Barthe2011]_. Independent records are never
    listed: a million of them cost no more than one. For a :class:`Metric` there are the number of
    values, and Theorem 11 of [Edwards2021]_ with e^(ε·diameter) and e^(ε·radius).

    >>> from leaktight.policies.policy import Policy
    >>> from leaktight.policies.secrets import SecretGraph
    >>> bounds = leakage_bounds(Policy(SecretGraph.complete(3), records=2), ratio=2)
    >>> for bound in bounds.bounds[::4]:
    ...     print(bound.value, bound)
    9/4 Theorem 1 of [Alvim2011b]: (vλ/(v−1+λ))^u
    12/5 Corollary 3 of [Barthe2011]: normalised (ours)
    4 Theorem 4 of [Barthe2011]: small codes (ours)
    >>> bounds.tightest.bits, bounds.utility
    (1.1699250014423124, Fraction(1, 4))
    >>> print(bounds.inapplicable[0])
    Lemma 4 of [Alvim2011b]: λ: not all databases are neighbours
    """
    if outputs is not None:
        outputs = expect_whole(outputs, "outputs=")
    known, enclosed = in_edges(neighbours, Ratio.of(ratio, epsilon))
    if (metric := known.measured) is not None:
        return _for_metric(metric, known.joined().records, enclosed)
    tied = tied_by_counts(known)
    if tied is not None and tied.public_counts is not None:
        return _under_counts(tied.public_counts, enclosed, outputs)
    graph = known.adjacency()
    setting = Setting(graph, rational(enclosed.upper), outputs)
    given = itertools.chain.from_iterable(_given(graph, code) for code in codes)
    rows = [bound.at(setting) for bound in (*PUBLISHED, *given)]
    one_record = [bound.at(setting) for bound in ABOUT_ONE_RECORD]
    return LeakageBounds(
        vertex_count(setting),
        enclosed,
        in_order(row for row in rows if isinstance(row, PublishedBound)),
        in_order(row for row in one_record if isinstance(row, PublishedBound)),
        tuple(row for row in rows + one_record if isinstance(row, Inapplicable)),
    )


def _for_metric(metric: Metric, records: int, ratio: Ratio) -> LeakageBounds:
    """Return what holds for any metric: K(z|x) ≤ e^(ε·d(x,c))·K(z|c) for a c of each component."""
    near = metric.reaches()
    labels, kinds = metric.graph.component_labels, range(len(metric.graph.components))
    bounds = [
        PublishedBound("number of databases", "|X|", "nothing", Powers.of((metric.order, records)))
    ]
    for form, pick in ((f"{DIAMETERS} (ours)", max), ("radii (ours)", min)):
        far = [pick(near[i] for i in np.flatnonzero(labels == t).tolist()) for t in kinds]
        total = sum((ratio.over(d, d).upper for d in far), Fraction(0))
        source = "Theorem 11 of [Edwards2021]"
        power = Powers.of((total, records))  # components and distances of records multiply and add
        bounds.append(PublishedBound(source, form, "finite distances in a component", power))
    return LeakageBounds(bounds[0].factors, ratio, in_order(bounds), (), ())


def _under_counts(counts: PublicCounts, ratio: Ratio, outputs: int | None) -> LeakageBounds:
    """Return what holds of databases with public counts, however many they are."""
    bounds = [PublishedBound("number of databases", "|X|", "nothing", database_bound(counts))]
    source = "Theorem 11 of [Edwards2021]"
    missing: tuple[Inapplicable, ...] = ()
    if (diameters := diameter_bound(counts, ratio)) is not None:
        bounds.append(PublishedBound(source, DIAMETERS, "nothing", diameters))
    else:
        missing = (Inapplicable(source, DIAMETERS, "not every two values are a secret pair"),)
    if outputs is not None:
        bounds.append(
            PublishedBound("number of outputs", "r", "at most r outputs", Powers.of((outputs, 1)))
        )
    return LeakageBounds(database_count(counts), ratio, in_order(bounds), (), missing)


def _given(graph: AdjacencyGraph, code: CoveringCode | Iterable[Hashable]) -> Iterator[Published]:
    if not isinstance(code, CoveringCode):
        code = covering_code(graph, code)
    elif not code.covers(graph):
        raise Mismatch(f"a code must cover the graph {graph!r}, got one that covers {code.graph!r}")
    for form, number, beyond in (
        (code.name, code.bound, _no_cube),
        (f"{code.name}, normalised (ours)", code.normalised_bound, always),
    ):
        assumes = "the code covers the graph; the paper has bits"
        yield Published(THEOREM_4, form, assumes, always, partial(_at_ratio, number), beyond)


def _no_cube(setting: Setting) -> str:
    return setting.no_cube


def _at_ratio(number: Callable[[Any], Powers], setting: Setting) -> Powers:
    return number(setting.ratio)


# --- the table -----------------------------------------------------------------------------

THEOREM_4 = "Theorem 4 of [Barthe2011]"

PUBLISHED = (
    Published("number of databases", "|X|", "nothing", always, vertex_count),
    Published("Theorem 11 of [Edwards2021]", DIAMETERS, "nothing", always, diameters),
    Published("Theorem 11 of [Edwards2021]", "radii (ours)", "nothing", always, radii),
    Published(
        "Theorem 1 of [Alvim2011b]",
        "(vλ/(v−1+λ))^u",
        "independent records, every two values of a record joined; it is Theorem 2 of [Alvim2011a]",
        lambda setting: setting.no_clique,
        cliques,
        lambda setting: setting.no_power_of_clique,
    ),
    Published(
        "Theorem 1 of [Alvim2011a]",
        "|X| / Σ n_d λ^−d",
        "every database has n_d others at distance d; the paper asks for a graph that is "
        "distance-regular or VT+",
        lambda setting: setting.no_equal_distances,
        Setting.equal_distances_bound,
        lambda setting: setting.no_symmetry,
    ),
    Published(
        "Theorem 3 of [Alvim2011b]",
        "|X|·α(c, n)",
        "every database has at least c others at each distance from 1 to n; a uniform prior, if "
        "read as the bound α(c, n) on utility; the paper asks for an automorphism that moves all "
        "in one cycle",
        lambda setting: setting.no_spheres,
        borders,
        lambda setting: setting.no_one_cycle,
    ),
    Published(
        "Lemma 4 of [Alvim2011b]",
        "λ",
        "every two databases are neighbours",
        lambda setting: "" if setting.graph.diameter <= 1 else "not all databases are neighbours",
        lambda setting: Powers.of((setting.ratio, 1)),
    ),
    Published(
        "Theorem 3 of [Barthe2011]",
        "2λ/(λ+1)",
        "one record of two values; Corollary 1 is the same",
        lambda setting: setting.no_bit,
        cliques,
    ),
    Published(
        "Corollary 2 of [Barthe2011]",
        "code of one word",
        "independent records of two values",
        lambda setting: setting.no_cube,
        radii,
    ),
    Published(
        "Corollary 3 of [Barthe2011]",
        "repetition code",
        "independent records with equally many values, all joined; the paper has two values",
        lambda setting: setting.no_power_of_clique,
        lambda setting: repetition(setting).bound(setting.ratio),
        lambda setting: setting.no_cube,
    ),
    Published(
        "Corollary 3 of [Barthe2011]",
        "normalised (ours)",
        "independent records with equally many values, all joined",
        lambda setting: setting.no_power_of_clique,
        lambda setting: repetition(setting).normalised_bound(setting.ratio),
    ),
    Published(
        THEOREM_4,
        "Hamming codes",
        "independent records of two values, at least 3 of them",
        no_hamming,
        lambda setting: min(code.bound(setting.ratio) for code in hamming_blocks(setting.records)),
    ),
    Published(
        THEOREM_4,
        "Hamming codes, normalised (ours)",
        "independent records of two values, at least 3 of them",
        no_hamming,
        lambda setting: min(
            code.normalised_bound(setting.ratio) for code in hamming_blocks(setting.records)
        ),
    ),
    Published(
        THEOREM_4,
        "small codes",
        "the codes cover the graph; the paper has bits",
        lambda setting: setting.no_small_code,
        lambda setting: setting.small_codes_bound(lambda code: code.bound(setting.ratio)),
        lambda setting: setting.no_cube,
    ),
    Published(
        THEOREM_4,
        "small codes, normalised (ours)",
        "the codes cover the graph",
        lambda setting: setting.no_small_code,
        lambda setting: setting.small_codes_bound(
            lambda code: code.normalised_bound(setting.ratio)
        ),
    ),
    Published(
        "Corollary 4 of [Barthe2011]",
        "least |X|·λ^d / |Ball_d| (ours)",
        "every database has equally many others within distance d; the paper has bits, and "
        "calls it a limit of its bounds, but it is itself a bound",
        lambda setting: setting.no_spheres,
        balls,
    ),
    Published(
        "number of outputs",
        "r",
        "at most r outputs",
        lambda setting: setting.no_outputs,
        lambda setting: Powers.of((setting.outputs or 1, 1)),
    ),
    Published(
        "Lemma 4 of [Alvim2011b]",
        "r outputs (ours)",
        "at most r outputs, a connected graph",
        no_few_outputs,
        few_outputs,
    ),
    Published(
        "Proposition 2 of [Alvim2011b]",
        "r outputs",
        "at most r ≤ v^u outputs, u independent records of v values, all joined; the printed "
        "proof has a gap, ours is in docs/proofs/few-outputs.md",
        no_proposition_2,
        proposition_2,
    ),
    Published(
        "Proposition 2 of [Alvim2011b]",
        "r outputs, by records that agree (ours)",
        "at most r outputs, u independent records of v values, all joined",
        no_agreeing,
        agreeing,
    ),
)
"""The bounds on the leakage of the whole database."""

ABOUT_ONE_RECORD = (
    Published(
        "number of values",
        "of a record",
        "independent records",
        lambda setting: setting.no_independence,
        lambda setting: largest_of_records(setting, vertex_count),
    ),
    Published(
        "Theorem 2 of [Alvim2011b]",
        "λ",
        "independent records, every two values joined",
        lambda setting: setting.no_clique,
        lambda setting: Powers.of((setting.ratio, 1)),
        lambda setting: setting.no_power_of_clique,
    ),
    Published(
        "Theorem 2 of [Alvim2011b]",
        "sharp (ours)",
        "independent records, every value has n_d others at distance d",
        lambda setting: setting.no_independence or setting.no_equal_distances,
        lambda setting: largest_of_records(setting, Setting.equal_distances_bound),
    ),
    Published(
        "Theorem 11 of [Edwards2021]",
        "radii (ours)",
        "independent records",
        lambda setting: setting.no_independence,
        lambda setting: largest_of_records(setting, radii),
    ),
)
"""The bounds on the leakage about any one record if all others are known."""
