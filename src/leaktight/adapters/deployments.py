"""Published deployments of differential privacy: promises, and what they let anyone learn.

Facts with sources only. The registry is https://github.com/opendp/deployments-registry-data, read
as of 15 July 2026; the paper or page that it goes by is named beside it. A promise is the
publisher's word. What follows from it is computed here.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import cache

from leaktight.curves.curve import PrivacyCurve
from leaktight.curves.guess import ADD_REMOVE, REPLACE, best_guess
from leaktight.errors import InvalidInput
from leaktight.exact.shown import percent_above
from leaktight.labels import suggestion

REGISTRY = "https://github.com/opendp/deployments-registry-data"
VALUES = (2, 6, 63)
"""Of how many values one is guessed in the table: 63 are the combinations of six races."""

SKEWED = Fraction(3, 4)
"""How likely one value is before, in the second half of the table; the others are alike."""


@dataclass(frozen=True, slots=True)
class Deployment:
    """A promise that was made in public."""

    name: str
    what: str
    year: int | None
    curve: PrivacyCurve
    unit: str
    """What is protected: all of a person's data, those of a day, one event …"""
    neighbours: str
    """ "replace" or "add/remove"."""
    source: str
    """Where the promise stands."""
    entry: str | None = None
    """The file of the registry in which it was read; None if it was read at the source."""
    is_local: bool = False
    """Whether noise is added on each person's device, before anything is sent."""
    note: str = ""

    def guess(self, values: int, likeliest: Fraction | None = None) -> Fraction:
        """Return how often one of some values is guessed right at most, rounded up.

        :param values: how many values there are.
        :param likeliest: how likely one of them is before, the others alike; all alike if None.
        """
        prior = None
        if likeliest is not None:
            prior = [likeliest, *([(1 - likeliest) / (values - 1)] * (values - 1))]
        return best_guess(self.curve, values, prior, neighbours=self.neighbours).upper


@cache
def deployments() -> dict[str, Deployment]:
    """Return the deployments whose promise was read, by short names.

    >>> print(deployments()["google-mobility"].curve)
    ε = 2.64
    """
    return {each.name: each for each in _read()}


def deployment(name: str) -> Deployment:
    """Return one of them by its name.

    :raises InvalidInput: if there is none of that name; the message has the nearest.
    """
    known = deployments()
    if name not in known:
        raise InvalidInput(f"there is no deployment {name!r:.60}; {suggestion(name, list(known))}")
    return known[name]


UNSTATED = "neighbours not stated; add/remove is taken, which promises less"


def _read() -> Iterator[Deployment]:
    pure, pair, rho = PrivacyCurve.epsilon, PrivacyCurve.epsilon_delta, PrivacyCurve.zcdp
    topdown = "https://hdsr.mitpress.mit.edu/pub/7evz361i"
    apple = (
        "https://docs-assets.developer.apple.com/ml-research/papers/"
        "learning-with-privacy-at-scale.pdf"
    )
    invariants = (
        "public and outside the promise: each state's population, housing units and kinds of group "
        "quarters in each block"
    )
    yield Deployment(
        "census2020", "US Census Bureau, redistricting data", 2021, rho("2.63"), "person",
        REPLACE, topdown, "census_redistricting_data",
        note=f"person tables 2.56, housing units 0.07; {invariants}",
    )  # fmt: skip
    yield Deployment(
        "census2020-persons", "the same, tables of persons", 2021, rho("2.56"), "person",
        REPLACE, topdown, "census_redistricting_data", note=invariants,
    )  # fmt: skip
    yield Deployment(
        "census2020-dhc", "US Census Bureau, demographic and housing data", 2023, rho("15.29"),
        "person or housing unit", REPLACE, "https://arxiv.org/abs/2312.10863",
        "census_demographic_and_housing",
        note="person tables 4.96, housing units 7.70, as the registry has it; the same invariants",
    )  # fmt: skip
    yield Deployment(
        "wikimedia", "Wikimedia, page views by country", 2023, rho("0.015"), "device and day",
        ADD_REMOVE, "https://arxiv.org/abs/2308.16298", "wikimedia_current_usage_data",
        note="at most 10 pages of a device and day count; each day anew",
    )  # fmt: skip
    yield Deployment(
        "facebook-urls", "Meta, URL shares", 2020, rho("0.0728"), "user", ADD_REMOVE,
        "https://doi.org/10.7910/DVN/TDOAPG", "user_url_privacy",
        note=f"over all kinds of actions, 0.0052 for each; {UNSTATED}",
    )  # fmt: skip
    yield Deployment(
        "google-mobility", "Google, community mobility", 2020, pure("2.64"), "user and day",
        ADD_REMOVE, "https://arxiv.org/abs/2004.04145", "google_mobility",
        note="public places 1.76, homes 0.44, workplaces 0.44; each day anew",
    )  # fmt: skip
    yield Deployment(
        "google-symptoms", "Google, searches for symptoms", 2020, pure("1.68"), "user and day",
        ADD_REMOVE, "https://arxiv.org/abs/2009.01265", "covid19_search_trends_symptoms",
        note="each day anew",
    )  # fmt: skip
    yield Deployment(
        "google-vaccination", "Google, searches about vaccination", 2021,
        pair("2.19", Fraction(1, 10**5)), "user and day", ADD_REMOVE,
        "https://arxiv.org/abs/2107.01179", "vaccine_search_insights", note=UNSTATED,
    )  # fmt: skip
    yield Deployment(
        "linkedin-audience", "LinkedIn, audience engagements", 2020,
        pair("34.9", Fraction(7, 10**9)), "user and month", ADD_REMOVE,
        "https://arxiv.org/abs/2002.05839", "audience_engagement",
        note=f"data and budget are renewed each month; {UNSTATED}",
    )  # fmt: skip
    yield Deployment(
        "linkedin-hiring", "LinkedIn, hiring reports", 2020, pair("4.8", Fraction(4, 10**10)),
        "hire and month", ADD_REMOVE, "https://arxiv.org/abs/2010.13981",
        "linkedin_hiring_reports", note=UNSTATED,
    )  # fmt: skip
    yield Deployment(
        "apple-emoji", "Apple, emojis", 2017, pure(4), "event", REPLACE, apple,
        "apple_popular_emojis", is_local=True, note="several events a day may be sent",
    )  # fmt: skip
    yield Deployment(
        "apple-health", "Apple, kinds of health data", 2017, pure(2), "event", REPLACE, apple,
        "healthkit", is_local=True, note="several events may be sent",
    )  # fmt: skip
    yield Deployment(
        "apple-safari", "Apple, web domains that drain energy", 2017, pure(4), "event", REPLACE,
        apple, "safari_energy_drain", is_local=True, note="several events may be sent",
    )  # fmt: skip
    yield Deployment(
        "microsoft-telemetry", "Microsoft, telemetry of Windows", 2017, pure("1.672"),
        "user and six hours", REPLACE,
        "https://www.microsoft.com/en-us/research/publication/collecting-telemetry-data-privately/",
        "telemetry_collection_windows", is_local=True, note="every six hours anew",
    )  # fmt: skip
    yield Deployment(
        "israel-births", "Israel, synthetic data of live births", 2024, pure("9.98"), "birth",
        ADD_REMOVE, "https://birth.dataset.pub", "birth_dataset", note=UNSTATED,
    )  # fmt: skip
    aws = (
        "https://docs.aws.amazon.com/clean-rooms/latest/apireference/"
        "API_DifferentialPrivacyTemplateParametersInput.html"
    )
    for epsilon, which in ((1, "least"), (20, "most")):
        yield Deployment(
            f"aws-clean-rooms-{which}", f"AWS Clean Rooms, the {which} that can be set", None,
            pure(epsilon), "user", ADD_REMOVE, aws,
            note=f"whole numbers from 1 to 20; the budget may be renewed monthly; {UNSTATED}",
        )  # fmt: skip


# --- the page --------------------------------------------------------------------------------


def row(each: Deployment) -> str:
    """Return a deployment as a row of the page's table."""
    cells = [f"`{each.name}`", str(each.curve), each.neighbours]
    cells += [percent_above(each.guess(count)) for count in VALUES]
    cells += [percent_above(each.guess(count, SKEWED)) for count in VALUES]
    return f"| {' | '.join(cells)} |"


def source(each: Deployment) -> str:
    """Return where a promise stands, and what goes with it, as a row of the page's second table."""
    read = f", as in [the registry]({REGISTRY}/blob/main/deployments/{each.entry}.yaml)"
    where = f"[source]({each.source}){read if each.entry else ''}"
    local = "; noise on the device" if each.is_local else ""
    what = each.what if each.year is None else f"{each.what}, {each.year}"
    return f"| `{each.name}` | {what} | {each.unit}{local} | {each.note} | {where} |"
