"""The answers to a study: plain values, of which every page and the JSON file are made.

The types are msgspec's, because it writes JSON and its schema from the same declarations, tells
"an answer, or why there is none" apart by a tag, and is quick to load. An exact number is a
``Fraction``, which JSON gets as text, if it is short, and as a float.
"""

from fractions import Fraction
from typing import TYPE_CHECKING, Literal

from msgspec import Struct

from leaktight import __version__
from leaktight.exact.shown import Probability, shown

if TYPE_CHECKING:
    from leaktight.studies.every_epsilon import EveryEpsilon

FORMAT = "leaktight audit 2"

LONGEST = 200
"""The most letters of a part within another, where it is printed."""


class Answer(Struct, frozen=True):
    """A part of an audit, that prints short."""

    def __repr__(self) -> str:
        fields = ((name, getattr(self, name)) for name in self.__struct_fields__)
        return f"{type(self).__name__}({', '.join(f'{name}={_said(x)}' for name, x in fields)})"


def _said(value: object) -> str:
    if isinstance(value, Fraction):
        return shown(value)
    if isinstance(value, Probability):
        return f"{value} after {value.observations:,}"
    if isinstance(value, tuple):
        return f"({', '.join(map(_said, value[:3]))}{', …' if len(value) > 3 else ''})"
    text = repr(value)
    return text if len(text) <= LONGEST else f"{text[: LONGEST - 1]}…"


class Skipped(Answer, frozen=True, tag_field="is", tag="skipped"):
    """Why something has no answer."""

    why: str

    def __bool__(self) -> Literal[False]:
        """Be false, so that ``if found:`` asks for an answer."""
        return False


LEFT_OUT = Skipped("not requested")
NO_MECHANISM = Skipped("no mechanism is given")
NO_RELEASE = Skipped("nothing is released of a table")
NO_RATIO = Skipped("no ε is asked for, and the mechanism has none")
NOBODY_ELSE = Skipped("there is nobody else")
NOBODY_ABSENT = Skipped("nobody is absent")
OTHERS_TELL_NOTHING = Skipped("what is released of others tells nothing of a person")
ONLY_PURE = Skipped("it is known of pure ε alone, and another promise is asked for")
OF_RELEASE = Skipped("of a release it is told query by query, and bounded by the worst case")
NOT_ASKED = (
    LEFT_OUT, NO_MECHANISM, NO_RATIO, NOBODY_ELSE, OTHERS_TELL_NOTHING, ONLY_PURE, OF_RELEASE,
    NO_RELEASE, NOBODY_ABSENT,
)  # fmt: skip
"""What was not asked for, or makes no sense, needs no excuse."""


# --- what was asked --------------------------------------------------------------------------


class Question(Answer, frozen=True):
    """What was asked of a mechanism, or of any."""

    what: str
    """What is guessed, in words."""
    observations: int
    below: Fraction | None
    """A chance that a guess shall not reach."""
    asked: str | None
    """What must be kept, λ = e^ε, ε, (ε, δ), ρ, μ or a curve, as it was asked for."""
    epsilon: float | None
    """The same as ε, rounded up; None for another promise than pure ε."""
    sensitive: tuple[str, ...]
    """The values whose odds are told first."""


class Distances(Answer, frozen=True):
    """How far apart the values of one record are, where that counts."""

    unit: str
    """What a distance of 1 is called; nothing if it has no name."""
    nearest: float
    farthest: float


class PolicyShown(Answer, frozen=True):
    """Who must not be told apart."""

    text: str
    records: int
    values: int
    """How many values a record can have."""
    secrets: tuple[str, ...]
    """Their names; the first ones if they, or their pairs, are too many to draw."""
    pairs: tuple[tuple[str, str], ...]
    """Which must not be told apart."""
    is_constrained: bool
    scope: str
    """What the mechanism sees: each record, the database, or the answer to a query."""
    inputs: int | None
    """How many different things it sees; None if they are not listed."""
    places: tuple[tuple[float, float], ...] | None = None
    """Where the values stand in a drawing, if they are points of a grid or a map."""
    distances: Distances | None = None
    """None if all secret pairs count alike."""


class MechanismShown(Answer, frozen=True):
    """What is released."""

    name: str
    is_exact: bool
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    matrix: tuple[tuple[float, ...], ...]
    """The probabilities; empty if they are too many to show."""
    marked: tuple[int, int, int] | None
    """The rows and the column of the matrix where it is worst."""
    about: str
    """What the rows are: all that the mechanism sees, or one record if all others are known."""
    shape: tuple[int, int] | None


# --- one person ------------------------------------------------------------------------------


class Telling(Answer, frozen=True):
    """What is seen, after which something is likeliest that has become likelier."""

    output: str
    chance: Fraction
    """How likely it is to be seen."""
    event: str
    before: Fraction
    after: Fraction


class Belief(Answer, frozen=True):
    """How likely a value is before, and after the output that speaks for the worst value most."""

    value: str
    before: float
    after: float


class ValueRise(Answer, frozen=True):
    """How far the belief in one value rises by the output that speaks for it most."""

    value: str
    before: Fraction
    after: Fraction
    """Exact if an output is named, and otherwise a bound."""
    output: str | None
    chance: Fraction | None
    """How likely that output is."""
    factor: Fraction
    """By how much the belief rises."""


class CurvePoint(Answer, frozen=True):
    """The chance of a right guess after so many observations lies between two numbers."""

    observations: int
    lower: float
    upper: float
    exact: Fraction | None


class Informed(Answer, frozen=True, tag_field="is", tag="informed"):
    """What somebody learns of one person who knows all others."""

    factor: Fraction
    """Whatever was believed, a guess becomes likelier by at most so much after one release."""
    bits: float
    value: Fraction | None
    """The same for the value alone, if the person is known to be there."""
    presence: Fraction | None
    """The same for whether the person is there."""
    others: str
    """Who the others are where it is worst."""
    before: Fraction
    after: tuple[Probability, ...]
    """After one observation and after as many as were asked about."""
    telling: Telling | None
    text: tuple[str, ...]
    belief: tuple[Belief, ...]
    curve: tuple[CurvePoint, ...] | Skipped
    values: tuple[ValueRise, ...] | None = None
    """Those that are sensitive first, then those whose belief rises by the largest factor."""
    speaking: str | None = None
    """The output that speaks most for the first of them, after which ``belief`` is."""


class Uninformed(Answer, frozen=True, tag_field="is", tag="uninformed"):
    """What somebody learns of one person who knows nobody, but what is public."""

    before: Fraction
    after: Probability
    record: int | None
    """Who is guessed best, counted from 1; None if all are alike."""
    telling: Telling | None


class RareBelief(Answer, frozen=True):
    """How far a belief grows at most, but with a small chance over the output."""

    neighbours: str | None
    """ "replace" or "add/remove"; None if the policy's pairs are the neighbours."""
    observations: int
    prior: Fraction
    sure: Fraction
    """With at least this chance over the output the belief stays at most ``after``."""
    after: Fraction


class Relation(Answer, frozen=True):
    """The chances of a guess under another relation of neighbours than the policy's."""

    neighbours: str
    after: tuple[Probability, ...]


class AnyMechanism(Answer, frozen=True, tag_field="is", tag="any mechanism"):
    """What anybody learns of one person at most, whatever mechanism keeps what was asked."""

    before: Fraction
    after: tuple[Probability, ...]
    text: tuple[str, ...]
    neighbours: str | None = None
    """Which neighbours a promise other than pure ε is about, if all values are alike."""
    other: Relation | None = None
    """The same if neighbours are add/remove."""
    values: tuple[ValueRise, ...] | None = None
    """Those that are sensitive first, then those whose belief can rise by the largest factor."""
    beliefs: tuple[RareBelief, ...] | None = None
    """What bounds a belief, but rarely, where nothing does so for certain."""


class PresenceRates(Answer, frozen=True):
    """How well the best test tells who is there from who is absent."""

    whose: str
    """Of this mechanism, or of any that keeps the same."""
    advantage: Fraction
    """The true positive rate less the false positive rate, at most."""
    rates: tuple[tuple[Fraction, Fraction], ...]
    """False positive rates, and the true positive rate at each, at most."""
    is_exact: bool
    """Whether some test attains them."""


class PresenceFound(Answer, frozen=True, tag_field="is", tag="membership"):
    """Membership: whether a person is there at all, where somebody may be absent."""

    found: tuple[PresenceRates, ...]


class Person(Answer, frozen=True):
    """What is learnt of one person."""

    informed: Informed | Skipped
    uninformed: Uninformed | Skipped
    any_mechanism: AnyMechanism | Skipped
    membership: PresenceFound | Skipped = NOBODY_ABSENT


# --- the release -----------------------------------------------------------------------------


class WorstPair(Answer, frozen=True):
    """Where a mechanism is worst: the output is likeliest against the neighbour's."""

    input: str
    neighbour: str
    output: str
    others: int = 0
    """How many other records there are, which stay; 0 if the inputs show all."""


class Level(Answer, frozen=True):
    """The least ratio at which a mechanism is private; None if there is none.

    With distances it is the ratio of the worst pair, and ε is for a distance of 1.
    """

    ratio: Fraction | None
    epsilon: float | None
    """Rounded up."""
    worst: WorstPair | None
    is_exact: bool = True
    """Whether some neighbours attain the ratio; otherwise none exceed it."""
    distance: float | None = None
    """How far apart the worst pair is, where that counts."""


class Privacy(Answer, frozen=True, tag_field="is", tag="privacy"):
    """How private the mechanism is."""

    level: Level
    one_record: Level | None
    """The level if nothing were public, where something is and each record answers by itself."""


class CountsTold(Answer, frozen=True, tag_field="is", tag="counts told"):
    """What public counts tell by themselves."""

    before: Fraction
    """The chance that one guess about one person is right without them."""
    after: Fraction
    """The same with them."""
    bits: float
    """What they tell of all records together, at most."""
    average: tuple[Fraction, Fraction] | None
    """Between what the chance with them lies on average over what they might have been."""
    are_named: bool
    """Whether it is known what they are; if not, ``after`` is so at most, on average."""


class OddsFound(Answer, frozen=True, tag_field="is", tag="odds"):
    """By how much a release changes the odds about one person, relative to the counts alone."""

    ratio: Fraction | None
    """At most so much; None if there is no limit."""
    epsilon: float | None
    before: Fraction
    after: Fraction
    others: int
    """How many others change places with the person in the argument."""
    assumes: str
    is_exact: bool
    """Whether ``before`` is the chance itself, and not more."""


class RecommendedEpsilon(Answer, frozen=True, tag_field="is", tag="recommended epsilon"):
    """Which ε keeps what was asked although counts are public, and what that costs."""

    of: str
    """Whose ε: of each record, or of each step of an answer."""
    epsilon: float
    """Rounded down."""
    steps: int
    """In how many records, or by how many steps, neighbours differ at most."""
    plain_steps: int
    """The same if nothing were public."""
    error: Fraction
    """The share of answers that are not true, or the mean size of noise."""
    plain_error: Fraction


class PublicFound(Answer, frozen=True):
    """What public counts do to a release, for any number of records."""

    reach: int
    """In how many records neighbours differ at most."""
    is_exact: bool
    """Whether some differ in so many."""
    told: CountsTold | Skipped
    odds: OddsFound | Skipped
    recommended_epsilon: RecommendedEpsilon | Skipped
    text: tuple[str, ...]


class Leakage(Answer, frozen=True, tag_field="is", tag="leakage"):
    """How much the mechanism leaks of all records together, at worst."""

    about: str
    bits: float
    is_exact: bool
    """Whether it leaks so much for some prior, or at most so much."""


class PublishedBound(Answer, frozen=True):
    """What a paper says that no mechanism leaks more than."""

    source: str
    form: str
    assumes: str
    bits: float
    nats: float
    factor: str


class EpsilonPoint(Answer, frozen=True):
    """How many bits any mechanism at an ε can leak: exactly, and by the published bounds."""

    epsilon: float
    worst: float
    tightest: float
    """By the tightest published bound."""
    diameters: float | None
    """By Theorem 11 of [Edwards2021], where it applies."""


class WorstCaseFound(Answer, frozen=True, tag_field="is", tag="worst case"):
    """How much any mechanism leaks at most that keeps the ratio."""

    about: str
    lower_bits: float
    bits: float
    nats: float
    is_exact: bool
    factor: str
    route: str
    is_certified: bool
    """Whether a certificate proves it."""


class Usefulness(Answer, frozen=True, tag_field="is", tag="usefulness"):
    """How well what the mechanism sees is guessed, by someone who makes the best of an output."""

    about: str
    kind: str
    """An expected gain or loss, or an average error."""
    before: Fraction | None
    """What the best guess is worth without a release, if the gain is that of a right guess."""
    this: Fraction | None
    best: Fraction | None
    """That of the best mechanism that keeps the ratio."""
    limit: Fraction | None
    """What no mechanism is better than."""
    gap: Fraction | None
    """How far the best that was found is from the limit; 0 if it is proved to be the best."""


class Advice(Answer, frozen=True, tag_field="is", tag="advice"):
    """How strong what is asked for is for one person, and what would be stronger."""

    rank: str
    """ "strong" if no belief more than doubles, "moderate", or "weak" """
    text: tuple[str, ...]
    setting: str | None
    """A line for [question] of the study; None if nothing is advised."""
    epsilon: float | None
    """The ε that is advised, rounded down."""


class QueryFound(Answer, frozen=True):
    """A query of a release, and how near to the truth its numbers are."""

    name: str
    kind: str
    numbers: int
    noise: str | None
    """What it is; None if nothing is added."""
    error: float
    """The standard deviation of a number, averaged over all."""
    is_of_numbers: bool = True
    """Whether it is that of the numbers themselves, and not of the counts that they rest on."""


class AttributeFound(Answer, frozen=True):
    """What a release tells of one attribute of a person, alone, at most."""

    attribute: str
    before: Fraction
    after: Fraction
    values: tuple[ValueRise, ...]
    """Those whose belief can rise by the largest factor first."""


class LedgerFound(Answer, frozen=True, tag_field="is", tag="ledger"):
    """What the ledger of a release says."""

    file: str
    budget: str
    spent: float
    """ε, or ρ, of the secret pair that has paid most, rounded up."""
    left: float
    """What is left to it, rounded down."""
    releases: tuple[str, ...]
    """The names of those that were paid for."""
    unit: str = "ε"
    """Whether it is counted in ε, or in ρ of zCDP."""


class ReleaseFound(Answer, frozen=True, tag_field="is", tag="release"):
    """What a study publishes of a table, and what that tells of one person."""

    name: str
    source: str
    neighbours: str
    queries: tuple[QueryFound, ...]
    attributes: tuple[AttributeFound, ...]
    ledger: LedgerFound | Skipped
    text: tuple[str, ...]


class Certificate(Answer, frozen=True):
    """A file that proves something."""

    file: str
    proves: str


class FileRead(Answer, frozen=True):
    """A file that was read."""

    name: str
    sha256: str


class Verdict(Answer, frozen=True):
    """The answer in a line, and whether the mechanism is as private as asked."""

    holds: bool | None
    line: str


class Answers(Answer, frozen=True, kw_only=True):
    """The answers to a study, as JSON has them."""

    format: str = FORMAT
    version: str = __version__
    title: str
    verdict: Verdict
    question: Question
    policy: PolicyShown
    mechanism: MechanismShown | None
    person: Person
    privacy: Privacy | Skipped
    release: ReleaseFound | Skipped = NO_RELEASE
    public: PublicFound | None = None
    leakage: Leakage | Skipped
    worst_case: WorstCaseFound | Skipped
    published: tuple[PublishedBound, ...] | Skipped
    by_epsilon: tuple[EpsilonPoint, ...] | Skipped
    usefulness: Usefulness | Skipped
    advice: Advice | Skipped
    warnings: tuple[str, ...]
    certificate: Certificate | None = None
    files: tuple[FileRead, ...]

    @property
    def every_epsilon(self) -> "EveryEpsilon | Skipped":
        """What another ε would do; only an audit that was just made knows its study."""
        return LEFT_OUT
