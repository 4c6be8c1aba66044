"""How near to the truth will each number be? Known before anything is spent."""

from collections.abc import Iterable, Sequence

from leaktight.exact.numbers import Number
from leaktight.exact.ratio import RatioLike
from leaktight.policies.policy import Policy
from leaktight.tables.calibration import Allowance, allowance, calibrated
from leaktight.tables.protection import Protection
from leaktight.tables.queries import Expected, TableQuery, distinct


def plan(
    policy: Policy,
    queries: Iterable[TableQuery],
    *,
    ratio: RatioLike = None,
    epsilon: Number | None = None,
    rho: Number | None = None,
    delta: Number | None = None,
    noise: str | Allowance = "geometric",
    columns: Sequence[str] = (),
    absent: object = None,
    rows_per_person: int = 1,
    people: str | None = None,
) -> tuple[Expected, ...]:
    """Return the expected errors of each query, and for histograms of the other way too.

    Nothing is read or spent. 101 ages of which only neighbouring ones are secret pairs:

    >>> from leaktight.policies.secrets import SecretGraph
    >>> from leaktight.tables.queries import histogram
    >>> ages = Policy(SecretGraph.line(101), records=1000)
    >>> for way in plan(ages, [histogram("ages")], ratio=2):
    ...     print(way.kind, round(float(way.run), 2), way.chosen)
    ordered histogram 7.84 True
    plain histogram 565.99 False
    """
    protection = Protection(policy, absent, rows_per_person, people).expect_secrets()
    asked, named = distinct(queries), tuple(columns)
    allowed = allowance(noise, ratio=ratio, epsilon=epsilon, rho=rho, delta=delta)
    made = calibrated(protection, asked, allowed, named)
    taken = {block.query.name: block.query for block in made.blocks}
    found = list[Expected]()
    for i, (query, parts) in enumerate(made.parts([() for _ in made.blocks])):
        found += query.expected(parts)
        for way in asked[i].ways():
            if way != query:
                others = [way if name == query.name else each for name, each in taken.items()]
                told = calibrated(protection, others, allowed, named)
                [(_, own)] = [p for p in told.parts([() for _ in told.blocks]) if p[0] == way]
                found += [each.instead() for each in way.expected(own)]
    return tuple(found)
