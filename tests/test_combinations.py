"""Every policy × mechanism × query × size × question: a thinned walk, in which all pairs meet."""

import inspect
import random
from functools import cache
from itertools import product
from pathlib import Path
from typing import Any

import pytest
from fuzz.combinations import cells, questions
from fuzz.combinations.cells import AXES, RULES, Outcome, exists, number_of_cells, thinned, try_cell
from fuzz.combinations.covering import Row, Rule, covering, filled
from fuzz.combinations.enumeration import World
from fuzz.combinations.questions import QUESTIONS
from fuzz.combinations.settings import (
    DISTANCES,
    GRAPHS,
    MECHANISMS,
    METRIC_OF,
    METRICS,
    QUERIES,
    SECRETS,
    SPACE_OF,
    VARIANTS,
    Setting,
)

import leaktight.mechanisms
from leaktight.mechanisms import Mechanism
from leaktight.policies import symmetric_query
from leaktight.policies.symmetric_query import SymmetricQuery
from leaktight.privacy import PrivacyLevel
from leaktight.studies.keys import mechanism_kinds
from leaktight.web.answer import TASKS
from tests.second_routes.definition2 import minimally_secretly_different

LONG = (64, 65, 10**6)


@cache
def pairs() -> dict[str, list[Row]]:
    """Some cells in which any two options meet, by their questions."""
    found: dict[str, list[Row]] = {}
    for row in thinned(2, seed=1):
        found.setdefault(row["question"], []).append(row)
    return found


@pytest.mark.parametrize("question", QUESTIONS)
def test_every_pair_of_options_is_answered_rightly_or_refused_in_one_line(question: str) -> None:
    chosen = random.Random(question)
    tried = [try_cell(row, chosen.randrange(VARIANTS)) for row in pairs()[question]]
    assert any(each.outcome is Outcome.ANSWERED for each in tried)
    assert any(each.compared for each in tried)


def some_of(options: tuple[Any, ...], k: int, seed: int) -> list[Any]:
    return random.Random(seed).sample(options, k)


@pytest.mark.parametrize("question", ["level", "informed", "uninformed", "audit"])
def test_so_is_every_policy_with_every_mechanism_and_query_where_databases_are_few(
    question: str,
) -> None:
    """All triples of what is public, a mechanism and a query are spread over the questions."""
    triples = list(product(AXES["public"], AXES["mechanism"], AXES["query"]))
    chosen = random.Random(question)
    answered = 0
    for public, mechanism, query in chosen.sample(triples, TRIPLES):
        row = {
            "space": "attributes" if "margin" in public else chosen.choice(list(GRAPHS)[:4]),
            "public": public, "mechanism": mechanism, "query": query, "records": 3,
            "question": question,
        }  # fmt: skip
        if exists(row):
            tried = try_cell(row, chosen.randrange(VARIANTS))
            answered += tried.outcome is Outcome.ANSWERED
    assert answered > TRIPLES // 8


TRIPLES = 60
"""How many of these triples are tried for each question; ``make fuzz`` tries the others."""


# --- every proof, with every kind --------------------------------------------------------------

PROOFS = Path(__file__).parent.parent / "docs" / "proofs"
RESTS_ON: dict[str, tuple[str, ...]] = {
    "adaptive": ("after n",),
    "average-breach": ("audit",),
    "columns": ("every ratio", "worst case"),
    "cover-bound": ("any mechanism", "worst case"),
    "curves": ("any mechanism", "worst case", "page: curves"),
    "design": ("certificate", "page: certificate"),
    "few-outputs": ("worst case",),
    "individual-breach": ("audit",),
    "mechanisms": ("level", "calibrated"),
    "metrics": ("worst case", "any mechanism"),
    "one-bit": ("worst case",),
    "one-person": ("informed", "uninformed"),
    "own-output": ("after n", "page: looks"),
    "parametric": ("every ratio", "page: formula"),
    "profile": ("level", "audit"),
    "promises": ("any mechanism", "audit"),
    "public-counts": ("level", "sensitivity", "odds"),
    "real-values": ("worst case", "level"),
    "repetition": ("after n", "choose"),
    "shuffle": ("level",),
    "tables": ("plan", "calibrated"),
    "trees": ("worst case", "certificate"),
    "weighting": ("worst case",),
}
"""The questions whose answers rest on a proof, by its page."""

ON_CHANNELS = {
    "additive-capacity", "comparing", "disclosure", "estimates", "floats", "likeliest", "means",
    "programs", "rates", "repair", "risk", "sampling",
}  # fmt: skip
"""Proofs about a channel, samples, numbers or a table as they are, whatever the policy."""


@pytest.mark.parametrize("page", sorted(PROOFS.glob("*.md")), ids=lambda page: page.stem)
def test_a_proof_says_first_what_it_assumes(page: Path) -> None:
    text = page.read_text("utf-8").casefold()
    assumed, stated = (
        [at for each in words if (at := text.find(each)) >= 0]
        for words in (("is assumed", "hypotheses"), ("**statement", "**theorem", "**proof", "∎"))
    )
    assert assumed
    assert min(assumed) < min(stated, default=len(text))


@pytest.mark.parametrize("page", sorted(page.stem for page in PROOFS.glob("*.md")))
def test_what_rests_on_a_proof_is_asked_with_every_kind(page: str) -> None:
    """What is outside its hypotheses is then refused, or agrees with enumeration: see above."""
    assert (page in RESTS_ON) != (page in ON_CHANNELS), "which questions rest on the new page?"
    for question in RESTS_ON.get(page, ()):
        asked = pairs()[question]
        for axis in AXES.keys() - {"question"}:
            missing = {*AXES[axis]} - {row[axis] for row in asked}
            assert not any(_is_somewhere(axis, option, question) for option in missing), missing


def _is_somewhere(axis: str, option: Any, question: str) -> bool:
    """Say whether there is a cell with an option in which this is asked."""
    row = {axis: option, "question": question}
    return exists(row) and filled(row, AXES, 1, RULES, {}, random.Random(0)) is not None


# --- the table has everything ------------------------------------------------------------------


def test_every_kind_of_policy_mechanism_query_and_page_is_in_the_table() -> None:
    assert all(SPACE_OF[kind] in GRAPHS for kind in SECRETS)
    assert all(METRIC_OF[kind] in DISTANCES for kind in METRICS)
    assert {*mechanism_kinds()} <= {*MECHANISMS}, "how is the new kind made in Python?"
    assert {*QUERIES} <= {*AXES["query"]}
    assert {f"page: {task}" for task in TASKS} <= {*AXES["question"]}


def test_every_mechanism_of_the_library_is_made_in_some_cell() -> None:
    def concrete(kind: type[Any]) -> set[str]:
        below = {each for one in kind.__subclasses__() for each in concrete(one)}
        return below | (
            set() if inspect.isabstract(kind) else {f"{kind.__module__}.{kind.__name__}"}
        )

    for name in leaktight.mechanisms.__all__:
        getattr(leaktight.mechanisms, name)
    ours = {name for name in concrete(Mechanism) if name.startswith("leaktight.")}
    made = set()
    for name, maker in MECHANISMS.items():
        space = (
            "grid" if name.startswith("planar") else "interval" if name == "clamped" else "cycle"
        )
        kind = type(maker(Setting(space, "nothing", name, "each record", 1, 1)))
        made.add(f"{kind.__module__}.{kind.__name__}")
    assert ours <= made, ours - made


def test_every_query_of_the_library_is_asked_in_some_cell() -> None:
    named = {v for v in vars(symmetric_query).values() if inspect.isclass(v)}
    ours = {v for v in named if issubclass(v, SymmetricQuery) and not inspect.isabstract(v)}
    cells = [Setting("line", "nothing", "none", query, 3, 1) for query in AXES["query"]]
    assert ours <= {type(cell.query) for cell in cells}


def test_cells_are_counted_as_they_are_listed(monkeypatch: pytest.MonkeyPatch) -> None:
    def listed(row: Row, axes: list[str]) -> int:
        if not axes:
            return 1
        first, *rest = axes
        tried = [row | {first: option} for option in few[first]]
        return sum(listed(each, rest) for each in tried if exists(each))

    apart = [("mechanism", "records"), ("mechanism", "public"), ("records", "question")]
    assert not any({*pair} <= {*rule.axes} for pair in apart for rule in RULES)
    few = {axis: options[:: 1 + len(options) // 6] for axis, options in AXES.items()}
    monkeypatch.setattr(cells, "AXES", few)
    assert number_of_cells() == listed({}, list(few)) > 100


# --- the walk can fail -------------------------------------------------------------------------


def test_a_level_that_is_too_small_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    row = {"space": "complete", "public": "nothing", "mechanism": "matrix", "query": "count",
           "records": 3, "question": "level"}  # fmt: skip
    assert try_cell(row, 1).compared > 1
    monkeypatch.setattr(questions, "said_level", lambda cell: PrivacyLevel(1, None))
    with pytest.raises(AssertionError):
        try_cell(row, 1)


def test_an_error_that_is_not_ours_is_no_refusal(monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(cell: Setting) -> int:
        raise ValueError("not ours")

    monkeypatch.setitem(QUESTIONS, "level", fails)
    row = {axis: options[0] for axis, options in AXES.items()}
    with pytest.raises(ValueError, match="not ours"):
        try_cell(row, 0)


@pytest.mark.parametrize("public", ["nothing", "named count", "range", "predicate", "databases"])
@pytest.mark.parametrize("space", ["complete", "line", "edges"])
def test_neighbours_are_those_of_definition_2(space: str, public: str) -> None:
    for variant in range(VARIANTS):
        cell = Setting(space, public, "none", "each record", 3, variant)
        world = World(cell)
        letter = minimally_secretly_different(world.databases, cell.space.made)
        assert set(world.neighbours) == {(min(pair), max(pair)) for pair in letter}
        named = [d if cell.records > 1 else (d,) for d in cell.policy.databases()]
        assert set(named) == set(world.databases)


# --- covering arrays ---------------------------------------------------------------------------


@pytest.mark.parametrize("strength", [2, 3])
def test_in_a_covering_array_all_options_meet_that_may(strength: int) -> None:
    axes = {"a": [0, 1, 2], "b": "xyz", "c": [True, False], "d": "pqrs"}
    rules = [Rule(("a", "b"), lambda a, b: (a, b) != (0, "x")),
             Rule(("b", "c", "d"), lambda b, c, d: c or (b, d) != ("y", "q"))]  # fmt: skip
    rows = covering(axes, strength, rules, seed=3)
    assert all(rule.allows(row) for row in rows for rule in rules)
    every = [dict(zip(axes, each, strict=True)) for each in product(*axes.values())]
    allowed = [row for row in every if all(rule.allows(row) for rule in rules)]
    for some in {tuple(sorted(s)) for s in product(axes, repeat=strength) if len({*s}) == strength}:
        met = {tuple(row[axis] for axis in some) for row in rows}
        assert met == {tuple(row[axis] for axis in some) for row in allowed}
    assert len(rows) < 0.6 * len(allowed)
    assert (
        rows == covering(axes, strength, rules, seed=3) != covering(axes, strength, rules, seed=4)
    )


def test_every_option_of_the_table_is_in_some_cell() -> None:
    rows = thinned(1)
    assert all({row[axis] for row in rows} == {*options} for axis, options in AXES.items())
    assert all(rule.allows(row) for row in rows for rule in RULES)
