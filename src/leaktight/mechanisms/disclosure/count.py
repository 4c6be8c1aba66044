"""A perturbed count over the records of a policy, however many: nothing is listed."""

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction

from leaktight.channels.channel import Channel
from leaktight.channels.representation import Belief
from leaktight.channels.views import AverageView, Views
from leaktight.curves.curve import PrivacyCurve
from leaktight.exact.numbers import fraction
from leaktight.mechanisms.disclosure.odds import Pair, expect_people, level_of, nobody_known
from leaktight.mechanisms.disclosure.perturbation import CountPerturbation
from leaktight.mechanisms.mechanism import Guarantee, Mechanism
from leaktight.policies.policy import Policy
from leaktight.policies.symmetric_query import Query, SymmetricQuery, counted_by
from leaktight.privacy.level import PrivacyLevel


@dataclass(frozen=True, slots=True, repr=False)
class PerturbedCount(Mechanism):
    """A count of ``people``, of which ``perturbation`` shows something.

    What one person changes repeats along the counts, so that a few counts stand for all: section 2
    of docs/proofs/disclosure.md.

    >>> from leaktight.leakage import individual_leakage
    >>> from leaktight.mechanisms.disclosure.perturbation import Rounding
    >>> from leaktight.policies.secrets import SecretGraph
    >>> from leaktight.policies.symmetric_query import counting_query
    >>> policy = Policy(SecretGraph.complete(["no", "yes"]), records=1_000_000)
    >>> shown = PerturbedCount(Rounding(3, random=True), 1_000_000)
    >>> individual_leakage(shown, policy, counting_query(["yes"])).after
    Fraction(2, 3)
    """

    perturbation: CountPerturbation
    people: int

    def __post_init__(self) -> None:
        expect_people(self.people, 1)

    @property
    def name(self) -> str:
        """What it is."""
        return self.perturbation.name

    @property
    def told_apart(self) -> int:
        """So many people tell all that one may change: what comes after repeats."""
        return min(self.people, self.perturbation.repeats_from + self.perturbation.period)

    @property
    def level(self) -> PrivacyLevel:
        """How well counts that differ by one person are told apart, and where best."""
        rows = [self.perturbation.row(count) for count in range(self.told_apart + 1)]
        pairs: list[Pair] = [(c, c + 1, rows[c], rows[c + 1]) for c in range(self.told_apart)]
        return level_of(pairs)

    @property
    def guarantee(self) -> Guarantee:
        """What it promises about one person more or less; often nothing."""
        ratio = self.level.ratio
        who = f"counts of up to {self.people:,} people"
        promise = PrivacyCurve.pairs([(0, 1)]) if isinstance(ratio, float) else ratio
        return Guarantee(promise, who, lambda: who)

    @property
    def channel(self) -> Channel:
        """What is seen of each count."""
        return self.perturbation.channel(self.people)

    def counts(self, policy: Policy, query: Query | None) -> bool:
        """Say whether it is the count of a policy's records, nothing else being known of them."""
        free = not policy.is_constrained and policy.values is None and policy.metric is None
        return free and policy.records == self.people and counted_by(query) is not None

    def level_on(self, policy: Policy, query: SymmetricQuery) -> PrivacyLevel:
        """Return the level for the secret pairs of a policy."""
        values, counted = policy.secrets.vertices, query.alike
        apart = any(counted(values[i]) != counted(values[j]) for i, j in policy.secrets.edges)
        return self.level if apart else PrivacyLevel(Fraction(1), None)

    def views(self, policy: Policy, query: Query | None = None) -> Views:
        """Return what is seen of one record by somebody who knows all others."""
        if not self.counts(policy, query):
            return self.channel.views(policy, query)
        few = self.told_apart
        return self.perturbation.channel(few).views(Policy(policy.secrets, few), query)

    def average_views(
        self, policy: Policy, query: Query | None, belief: Belief
    ) -> Iterator[AverageView]:
        """Yield what is seen of one record by somebody who knows nobody."""
        if not self.counts(policy, query):
            yield from self.channel.average_views(policy, query, belief)
            return
        counted = counted_by(query)
        assert counted is not None
        shares: tuple[list[Fraction], ...] = ([Fraction(0)], [Fraction(0)])
        for value, chance in belief.items():
            shares[value in counted].append(fraction(chance))
        weights = max(shares[0]), max(shares[1])
        found = nobody_known(self.perturbation, self.people, sum(shares[1], Fraction(0)), weights)
        yield AverageView(*found, max(weights))
