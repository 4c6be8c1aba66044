"""What is asked of a cell, and what must be so of every answer.

Each question returns how many numbers were compared, one at least if there was an answer; what is
wrong is an AssertionError, and what is refused an error of ours.
"""

import json
import math
import os
from collections.abc import Callable
from fractions import Fraction
from itertools import pairwise
from typing import Any

import msgspec

import leaktight as lt
from fuzz import direct
from fuzz.combinations.enumeration import World, crowd_of, world_of
from fuzz.combinations.settings import DISTANCES, REAL, NotTried, Setting
from leaktight.channels import AllOrNothing, Parallel, Shuffled
from leaktight.channels.additive_noise import AdditiveNoise
from leaktight.check import check as check_certificate
from leaktight.errors import LeaktightError
from leaktight.leakage import (
    individual_channels,
    individual_leakage,
    margin_leakage,
    posterior_bound,
    uninformed_guess,
)
from leaktight.mechanisms import calibrated
from leaktight.policies import answer_graph, sensitivity
from leaktight.privacy import noise_level, privacy_level, shuffled_delta
from leaktight.repetition import explain, largest_ratio_below
from leaktight.reports import summary, table
from leaktight.reports.audit import html
from leaktight.studies import Skipped
from leaktight.studies.schema import to_json
from leaktight.tables import count_of, cumulative, histogram, plan, sum_of
from leaktight.tables.calibration import calibrated as table_noise
from leaktight.tables.noise import GeometricStep
from leaktight.tables.privacy_unit import PrivacyUnit
from leaktight.web.answer import TASKS, read_asked
from leaktight.worst_case import (
    leakage_bounds,
    verify_certificate,
    worst_case_function,
    worst_case_leakage,
    write_certificate,
)

CLOSE = 1e-9
"""How far floats of the independent route may be off, relatively."""

MOST_SOLVED = 9
"""The most databases whose worst case is found by a linear program of another solver."""


MOST_MULTIPLIED = 100
"""The most records whose worst case is looked at as a number: of more it has many digits."""


def said_level(cell: Setting) -> Any:
    """Return how private the library says that the mechanism is."""
    found, policy = cell.mechanism, cell.policy
    if isinstance(found, AllOrNothing | Parallel):
        return privacy_level(found, policy)
    if isinstance(found, Shuffled):
        graph = cell.space.made
        return shuffled_delta(found, graph, **cell.asked)
    if cell.on == "answer" and isinstance(found, AdditiveNoise) and cell.is_sum:
        return noise_level(found, policy, cell.query)
    channel = found if isinstance(found, lt.Channel) else found.channel
    if cell.space_name in REAL:
        return privacy_level(channel, policy)
    if cell.on == "answer":
        graph = answer_graph(policy, cell.asks)
        if set(graph.vertices) < set(channel.inputs):
            channel = channel.restrict(graph.vertices)
        return privacy_level(channel, graph)
    if cell.on == "record" and cell.records > 1:
        return privacy_level(Parallel(((channel, cell.records),)), policy)
    return privacy_level(channel, policy)


def level(cell: Setting) -> int:
    """A mechanism is called more private than it is."""
    if cell.mechanism is None:
        return 0
    found = said_level(cell)
    if isinstance(cell.mechanism, Shuffled):
        assert 0 <= found.lower <= found.upper <= 1
        return 1
    return 1 + agreed_level(cell, found.ratio, found.attained, found.epsilon)


def agreed_level(cell: Setting, most: Any, least: Any, epsilon: Any) -> int:
    """Compare a level, attained or only enough, with enumeration."""
    assert least <= most
    world, crowd = world_of(cell), crowd_of(cell)
    if world is not None and (seen := world.seen) is not None:
        if cell.space_name in DISTANCES:
            rate = world.rate(seen)
            assert epsilon >= rate * (1 - CLOSE), (epsilon, rate)
            assert epsilon <= rate * (1 + CLOSE) + CLOSE, (epsilon, rate)
            return 2
        true = world.level(seen)
        if cell.on == "answer":
            # Answers are neighbours if some databases with them are, so that both are the same.
            assert true <= most, (true, most)
            assert least <= true, (least, true)
            return 2
        assert least <= true <= most, (least, true, most)
        return 2
    if crowd is not None and (rows := crowd.rows(cell.mechanism)) is not None:
        near = crowd.level(rows)
        assert near <= float(most) * (1 + CLOSE), (near, most)
        if cell.is_independent:
            assert float(least) <= near * (1 + CLOSE), (least, near)
        return 1
    return 0


def how_far(cell: Setting) -> int:
    """Answers of neighbours are farther apart than is said."""
    found = sensitivity(cell.policy, cell.asks)
    assert found.attained <= found.value
    world = world_of(cell)
    if world is None or cell.space.pairs is None or not cell.is_answered:
        return 1
    true = world.sensitivity()
    assert found.attained <= true <= found.value, (found, true)
    return 2


def informed(cell: Setting) -> int:
    """Somebody who knows all others guesses one person better than is said."""
    if cell.mechanism is None:
        return 0
    found = individual_leakage(
        cell.mechanism, cell.policy, cell.asks, cell.prior, absent=cell.absent
    )
    assert found.before <= found.after
    assert found.factor >= 1
    world = world_of(cell)
    if world is None or (seen := world.seen) is None:
        return 1
    factor, once, _ = world.informed(seen)
    assert found.factor == factor, (found.factor, factor)
    assert found.after == once, (found.after, once)
    return 2


def uninformed(cell: Setting) -> int:
    """Somebody who knows nobody guesses one person better than is said."""
    if cell.mechanism is None:
        return 0
    found = uninformed_guess(cell.mechanism, cell.policy, cell.asks, cell.prior)
    return 1 + agreed_guess(cell, found.lower, found.upper, found.before)


def agreed_guess(cell: Setting, least: Any, most: Any, before: Any) -> int:
    """Compare the chance of an uninformed guess with enumeration."""
    assert least <= most
    assert most >= before or math.isclose(most, before, rel_tol=1e-12), (before, most)
    world, crowd = world_of(cell), crowd_of(cell)
    if world is not None and (seen := world.seen) is not None:
        true = world.uninformed(seen)
        assert least <= true <= most, (float(least), float(true), float(most))
        if cell.is_independent:
            assert true <= world.informed(seen)[1]
        return 2
    if crowd is not None and (rows := crowd.rows(cell.mechanism)) is not None:
        near = crowd.uninformed(rows)
        assert float(least) <= near + CLOSE, (float(least), near)
        assert near <= float(most) + CLOSE, (near, float(most))
        return 2
    return 0


def after_two(cell: Setting) -> int:
    """Two looks tell more of one person than is said, or fewer tell more."""
    if cell.mechanism is None:
        return 0
    once, twice = [], []
    for k, (channel, _) in enumerate(individual_channels(cell.mechanism, cell.policy, cell.asks)):
        if k >= 40:
            return 0
        own = {v: cell.prior[v] for v in channel.inputs}
        if whole := sum(own.values()):
            prior = {v: p / whole for v, p in own.items()}
            found = explain(channel, prior, observations=2)
            assert grows(found.before.value, *(each.value for each in found.after))
            once.append(found.after[0].value)
            twice.append(found.after[-1].value)
    world = world_of(cell)
    if world is None or (seen := world.seen) is None or not once:
        return 1
    _, first, second = world.informed(seen)
    assert max(once) == first, (max(once), first)
    assert max(twice) >= second, (max(twice), second)
    return 2


def whoever(cell: Setting) -> int:
    """Some mechanism that is private enough tells more of one person than any is said to."""
    found = explain(cell.policy, cell.prior, observations=2, **cell.asked)
    assert grows(found.before.value, *(each.value for each in found.after))
    world = private_world(cell)
    if world is None or not cell.is_independent:
        return 1
    assert world.seen is not None
    _, once, twice = world.informed(world.seen)
    assert once <= found.after[0].value, (once, found.after)
    assert twice <= found.after[-1].value, (twice, found.after)
    return 2


def grows(*chances: Fraction) -> bool:
    """Say whether chances do not fall, but for the last digits of what is only a bound."""
    return all(one <= other * (1 + Fraction(1, 10**12)) for one, other in pairwise(chances))


def private_world(cell: Setting) -> World | None:
    """Return the databases if the mechanism is as private as asked, by enumeration."""
    world = world_of(cell)
    if world is None or world.seen is None or cell.space.pairs is None:
        return None
    return world if world.level(world.seen) <= cell.least_ratio else None


def choose(cell: Setting) -> int:
    """An ε is chosen at which a guess is right more often than it may."""
    below = Fraction(max(cell.weights), sum(cell.weights))
    below = (1 + below) / 2
    found = largest_ratio_below(cell.policy, below, cell.prior, observations=1 + cell.variant % 3)
    assert found.ratio >= 1
    assert found.chance <= below
    n = found.observations
    again = explain(cell.policy, cell.prior, ratio=found.ratio, observations=n)
    assert again.after[-1].value <= below or math.isclose(again.after[-1].value, below)
    world = world_of(cell)
    if world is None or world.seen is None or not cell.is_independent or cell.space.pairs is None:
        return 1
    if world.level(world.seen) <= found.ratio:
        assert world.informed(world.seen)[1] <= below
    return 2


def worst(cell: Setting) -> int:
    """Some mechanism that is private enough leaks more than any is said to."""
    found, compared = worst_case_leakage(cell.policy, **cell.asked), 1
    assert cell.records > MOST_MULTIPLIED or found.lower <= found.upper
    assert found.bits_interval[0] <= (bits := found.bits_interval[1])
    if cell.space_name in REAL or cell.space_name in DISTANCES:
        return compared
    for bound in leakage_bounds(cell.policy, **cell.asked).bounds:
        assert bound.bits >= bits * (1 - CLOSE) - CLOSE or not found.is_exact
        compared += 1
    world = private_world(cell)
    if world is not None and world.seen is not None:
        outputs = {z for row in world.seen for z in row}
        leaks = sum(max(row.get(z, Fraction(0)) for row in world.seen) for z in outputs)
        assert math.log2(leaks) <= bits + CLOSE, (float(leaks), bits)
        compared += 1
    small = world_of(cell)
    if small is not None and len(small.databases) <= MOST_SOLVED:
        best = direct.worst_case(len(small.databases), small.neighbours, cell.most_ratio)
        assert float(found.lower) <= best * (1 + 1e-6), (found, best)
        assert float(found.upper) >= best * (1 - 1e-6), (found, best)
        compared += 2
    return compared


def every_ratio(cell: Setting) -> int:
    """The worst case as a formula is not the worst case."""
    refuse_long_formula(cell)
    found = worst_case_function(cell.policy if cell.records > 1 else cell.space.made)
    return 1 if found.pieces else 0


def refuse_long_formula(cell: Setting) -> None:
    """Refuse what has so many databases that a formula for them takes long."""
    world = world_of(cell)
    if (
        not cell.is_independent
        and cell.records > 1
        and world
        and len(world.databases) > MOST_SOLVED
    ):
        raise NotTried(f"{len(world.databases)} databases have a long formula")


def strong_enough(cell: Setting) -> int:
    """Noise that is made for a policy does not keep its promise."""
    found = calibrated(cell.policy, cell.asks, **cell.asked)
    world = world_of(cell)
    if world is None:
        return 1
    seen = world.seen_of(found.mechanism, "record" if cell.query is None else "answer")
    if seen is None:
        return 1
    if cell.space.pairs is None:  # distances that count steps
        assert world.rate(seen) <= math.log(cell.most_ratio) * (1 + CLOSE)
        return 2
    true = world.level(seen)
    assert true <= cell.least_ratio, (true, found)
    return 2


def odds(cell: Setting) -> int:
    """What a release and the counts tell of one person is more than is said."""
    if cell.mechanism is None:
        told = margin_leakage(cell.policy, cell.prior)
        world = world_of(cell)
        if world is None:
            return 1
        true = world.uninformed([{"": Fraction(1)} for _ in world.databases])
        assert true <= told.after, (true, told)
        assert not told.are_named or true == told.after, (true, told)
        return 2
    mechanism = cell.mechanism
    if cell.on == "record" and hasattr(mechanism, "guarantee"):
        mechanism = mechanism.channel
    found = posterior_bound(mechanism, cell.policy, cell.asks, cell.prior)
    assert found.before <= found.after
    world = world_of(cell)
    if world is None or (seen := world.seen) is None:
        return 1
    change, after = world.odds(seen)
    assert change <= found.ratio, (change, found)
    assert after <= found.after, (after, found)
    return 2


def planned(cell: Setting) -> int:
    """A release of a table is planned with too little noise."""
    numbers = [v for v in cell.space.values if v != "absent"]
    asked = {
        "count": count_of("q", cell.counted),
        "sum": sum_of("q", {v: i for i, v in enumerate(numbers)}),
        "histogram": histogram("q"),
        "each record": cumulative("q"),
    }
    queries = [asked.get(cell.query_name, histogram("q", ordered=True))]
    queries += [count_of("more", cell.counted)] * (cell.variant % 2)
    found = plan(cell.policy, queries, absent=cell.absent, **cell.asked)
    assert all(each.cell >= 0 for each in found)
    protection = PrivacyUnit(cell.policy, cell.absent)
    noise = table_noise(protection, queries, lt.Ratio.of(cell.ratio, cell.epsilon))
    world = world_of(cell)
    if world is None or cell.space.pairs is None:
        return 1
    place = {v: i for i, v in enumerate(cell.space.values)}
    for i, j in world.neighbours:
        product = Fraction(1)
        for block in noise.blocks:
            rows = block.weights.matrix().tolist()
            sums = [
                list(map(sum, zip(*(rows[place[v]] for v in world.databases[k]), strict=True)))
                for k in (i, j)
            ]
            for a, b, own in zip(*sums, noise.of(block), strict=True):
                assert own is not None or a == b, "no noise where neighbours differ"
                if isinstance(own, GeometricStep):
                    product *= own.step ** abs(a - b)
        assert product <= cell.least_ratio, (product, noise.step)
    return 2


# --- studies -----------------------------------------------------------------------------------


def study(cell: Setting) -> int:
    """An audit says that a release is safer than it is."""
    found = lt.audit(cell.study, without=("worst case for other ε", "best mechanism"))
    return 1 + agreed_audit(cell, found)


def agreed_audit(cell: Setting, found: Any) -> int:
    """Compare what an audit says with enumeration, and with itself."""
    compared = 0
    person = found.person
    if not isinstance(found.privacy, Skipped):
        said = found.privacy.level
        most = math.inf if said.ratio is None else said.ratio
        least = most if said.is_exact else 1
        epsilon = math.inf if said.epsilon is None else said.epsilon
        compared += agreed_level(cell, most, least, epsilon)
        if cell.space.pairs is not None and cell.study.ratio is not None and found.holds:
            assert most <= cell.study.ratio.upper
    world = world_of(cell)
    seen = None if world is None else world.seen
    if not isinstance(person.informed, Skipped):
        told = person.informed
        assert grows(told.before, *(each.value for each in told.after))
        if world is not None and seen is not None:
            factor, once, twice = world.open_informed(seen)
            assert told.factor == factor, (told.factor, factor)
            assert told.after[0].value >= once, (told.after, once)
            # Where views are many, those are among them who know the value already.
            known = once if told.before < 1 else world.informed(seen)[1]
            assert not told.after[0].is_exact or told.after[0].value == known, (told.after, known)
            assert told.after[-1].value >= twice, (told.after, twice)
            compared += 3
    if not isinstance(person.uninformed, Skipped):
        nobody = person.uninformed
        least = nobody.after.value if nobody.after.is_exact else 0
        compared += agreed_guess(cell, least, nobody.after.value, nobody.before)
    if not isinstance(person.any_mechanism, Skipped):
        anybody = person.any_mechanism
        assert grows(anybody.before, *(each.value for each in anybody.after))
        private = private_world(cell)
        if private is not None and private.seen is not None and not cell.counts:
            _, once, twice = private.informed(private.seen)
            assert once <= anybody.after[0].value, (once, anybody)
            assert twice <= anybody.after[-1].value, (twice, anybody)
            compared += 2
    if not isinstance(found.worst_case, Skipped):
        assert found.worst_case.lower_bits <= found.worst_case.bits
        private = private_world(cell)
        if private is not None and private.seen is not None:
            outputs = {z for row in private.seen for z in row}
            leaks = sum(max(row.get(z, Fraction(0)) for row in private.seen) for z in outputs)
            assert math.log2(leaks) <= found.worst_case.bits + CLOSE
            compared += 1
    if found.public is not None and world is not None and seen is not None:
        if not isinstance(found.public.odds, Skipped):
            change, after = world.odds(seen)
            said_odds = found.public.odds
            assert said_odds.ratio is None or change <= said_odds.ratio, (change, said_odds)
            assert after <= said_odds.after, (after, said_odds)
            compared += 2
        if not isinstance(found.public.told, Skipped):
            true = world.uninformed([{"": Fraction(1)} for _ in world.databases])
            assert true <= found.public.told.after
            compared += 1
    return compared


def certificate(cell: Setting) -> int:
    """A certificate proves nothing, or something else than is said."""
    found = lt.audit(cell.study, without=QUICKER)
    if found.proof is None:
        return 0
    check_certificate(found.proof.certificate)
    path = cell.folder / f"{os.getpid()}.json"
    try:
        write_certificate(found.proof, path)
        verify_certificate(path)
        assert found.proved_by(path.name).certificate is not None
    finally:
        path.unlink(missing_ok=True)
    return 1


QUICKER = ("worst case for other ε", "published bounds")
"""What of an audit takes longest, and is asked by itself."""


def report(cell: Setting) -> int:
    """A report has a number that is none, or cannot be written."""
    text = html(lt.audit(cell.study, without=("worst case for other ε",)), command="leaktight")
    for wrong in (">nan<", ">inf<", "Traceback"):
        assert wrong not in text, wrong
    return 1


def terminal(cell: Setting) -> int:
    """A summary has a number that is none, or cannot be printed."""
    found = lt.audit(cell.study, without=QUICKER)
    text = summary(found)
    assert all(wrong not in text for wrong in (" nan", "nan%")), text
    assert str(table(found))
    return 1


def as_json(cell: Setting) -> int:
    """JSON says other numbers than Python."""
    found = lt.audit(cell.study, without=QUICKER)
    written = json.loads(json.dumps(to_json(found), allow_nan=False))
    assert msgspec.json.encode(to_json(found))
    if not isinstance(found.privacy, Skipped):
        _same(written["privacy"]["level"]["ratio"], found.privacy.level.ratio)
    if not isinstance(found.person.informed, Skipped):
        _same(written["person"]["informed"]["factor"], found.person.informed.factor)
        _same(written["person"]["informed"]["before"], found.person.informed.before)
    return 1


def _same(written: Any, number: Fraction | None) -> None:
    if number is None:
        assert written is None
    elif written["exact"] is not None:
        assert Fraction(written["exact"]) == number


def from_file(cell: Setting) -> int:
    """A study in a file says other numbers than the same in Python."""
    path = cell.folder / f"{os.getpid()}.toml"
    import tomli_w

    path.write_text(tomli_w.dumps(cell.document), encoding="utf-8")
    try:
        said = to_json(lt.audit(lt.read_study(path, allow_code=True), without=QUICKER))
    finally:
        path.unlink()
    return agreed_studies(cell, said)


def agreed_studies(cell: Setting, said: Any, without: tuple[str, ...] = QUICKER) -> int:
    """Compare the JSON of a study that was read with that of the same study in Python."""
    try:
        ours = to_json(lt.audit(cell.study, without=without))
    except LeaktightError:  # what only a study makes
        return 1
    for path in (
        ("privacy", "level", "ratio"), ("privacy", "level", "epsilon"), ("verdict", "holds"),
        ("person", "informed", "factor"), ("person", "informed", "after"),
        ("person", "uninformed", "after"), ("person", "any mechanism", "after"),
        ("worst_case", "bits"), ("leakage", "bits"), ("usefulness", "this"), ("public", "reach"),
    ):  # fmt: skip
        one, other = _at(said, path), _at(ours, path)
        assert one == other, (path, one, other)
    return 2


def _at(found: Any, path: tuple[str, ...]) -> Any:
    for key in path:
        found = found.get(key) if isinstance(found, dict) else None
    return found


def _paged(task: str) -> Callable[[Setting], int]:
    def page(cell: Setting) -> int:
        """The page says something else than Python, or nothing."""
        if task == "open":
            import tomli_w

            body: dict[str, Any] = {"toml": tomli_w.dumps(cell.document)}
        else:
            body = {"study": cell.document, "upto": 2.0}
        if task == "formula":
            refuse_long_formula(cell)
        asked = read_asked(msgspec.json.encode(body))
        found = TASKS[task](asked, lambda *_: None)
        msgspec.json.encode(found)
        if task == "answer":
            json.dumps(found["audit"], allow_nan=False)
            without = ("all others known", "nobody known", "published bounds", *QUICKER)
            return agreed_studies(cell, found["audit"], without)
        return 1

    page.__doc__ = f"The page's {task} is wrong, or fails."
    return page


QUESTIONS: dict[str, Callable[[Setting], int]] = {
    "level": level,
    "sensitivity": how_far,
    "informed": informed,
    "uninformed": uninformed,
    "after n": after_two,
    "any mechanism": whoever,
    "choose": choose,
    "worst case": worst,
    "every ratio": every_ratio,
    "calibrated": strong_enough,
    "odds": odds,
    "plan": planned,
    "audit": study,
    "certificate": certificate,
    "report": report,
    "terminal": terminal,
    "JSON": as_json,
    "file": from_file,
    **{f"page: {task}": _paged(task) for task in TASKS},
}
OF_A_STUDY = ("file", *(f"page: {task}" for task in TASKS))
"""The questions for which a cell must be a study in a file."""


WITHOUT_MECHANISM = ("sensitivity", "every ratio", "calibrated", "plan")
"""The questions for which no mechanism is looked at."""

OF_A_MECHANISM = ("level", "informed", "uninformed", "after n")
"""The questions that nobody asks without one."""
