"""Where is the code broken to see whether anybody notices? A table of mutants.

Each says in a word what is broken, in which file, which text becomes which other, and who must
notice it: files of tests, or properties of the search. The text must be there once.
"""

from typing import NamedTuple


class Mutant(NamedTuple):
    """One place of the code, broken."""

    what: str
    file: str
    old: str
    new: str
    by: tuple[str, ...]


NUMBERS = (
    Mutant(
        "e^ε is enclosed by its lower end twice",
        "exact/ratio.py",
        "return fraction(low), fraction(high)",
        "return fraction(low), fraction(low)",
        ("tests/exact/test_ratio.py",),
    ),
    Mutant(
        "a level is allowed up to the upper end of e^ε",
        "exact/ratio.py",
        "return value <= self.lower",
        "return value <= self.upper",
        ("tests/exact/test_ratio.py", "tests/privacy/test_level.py"),
    ),
    Mutant(
        "the root of a ratio is rounded up",
        "exact/ratio.py",
        "with precision(places):\n        return fraction(enclosure.lower().fmpq())",
        "with precision(places):\n        return fraction(enclosure.upper().fmpq())",
        ("tests/exact/test_ratio.py",),
    ),
    Mutant(
        "the float below a number is the nearest one",
        "exact/rounding.py",
        "return math.nextafter(near, -math.inf)",
        "return near",
        ("numbers.rounded_to_a_side",),
    ),
    Mutant(
        "the upper end of an enclosure is rounded down",
        "exact/rounding.py",
        "high = float_above(enclosure.upper().fmpq())",
        "high = float_below(enclosure.upper().fmpq())",
        ("tests/exact/test_numbers.py", "numbers.logarithms"),
    ),
    Mutant(
        "an upper bound is printed rounded down",
        "exact/shown.py",
        "return _rounded(value, digits, ROUND_CEILING)",
        "return _rounded(value, digits, ROUND_FLOOR)",
        ("tests/exact/test_shown.py",),
    ),
    Mutant(
        "a bound in percent is rounded down",
        "exact/shown.py",
        "_plain(math.ceil(value * 10 ** (decimals + 2)), decimals)",
        "_plain(math.floor(value * 10 ** (decimals + 2)), decimals)",
        ("tests/exact/test_percent.py",),
    ),
    Mutant(
        "bits are the lower end of their enclosure",
        "exact/bits.py",
        "return self.bits_interval[1]",
        "return self.bits_interval[0]",
        ("tests/exact/test_bits.py", "leakage.one_guess"),
    ),
)

POLICIES = (
    Mutant(
        "a table and one more count have shorter kinds than they have",
        "policies/public_counts/longest.py",
        "length = 2 * length**2 if steps else (length + 1) ** 2 // 2",
        "length = 2 * length**2 if steps else length**2 // 2",
        ("tests/policies/public_counts/test_longest.py",),
    ),
    Mutant(
        "a sum with noise takes fractions, cut off",
        "policies/one_record.py",
        "if exact.q != 1:",
        "if exact.q < 1:",
        ("tests/privacy/test_noise_level.py",),
    ),
    Mutant(
        "neighbours are read one way only",
        "policies/difference.py",
        "joined, times = np.unique(codes, return_counts=True)",
        "joined, times = np.unique(codes, return_counts=True)\n        joined = joined[times == 2]",
        ("tests/policies/test_difference.py",),
    ),
    Mutant(
        "a proper part of the changes is not looked for",
        "policies/difference.py",
        "return different[minimal(changed)]",
        "return different",
        ("tests/policies/test_difference.py", "tests/policies/test_adjacency.py"),
    ),
    Mutant(
        "a product lacks the edges of its first records",
        "policies/graph/product.py",
        "edges = np.concatenate([along_old.reshape(-1, 2), along_new.reshape(-1, 2)])",
        "edges = along_new.reshape(-1, 2)",
        ("tests/policies/test_product.py", "tests/policies/test_adjacency.py"),
    ),
    Mutant(
        "a cycle is not closed",
        "policies/secrets.py",
        "around = np.stack([steps, (steps + 1) % bare.order], axis=1)",
        "around = np.stack([steps, (steps + 1) % bare.order], axis=1)[:-1]",
        ("tests/policies/test_secrets.py",),
    ),
    Mutant(
        "values at just the threshold are not joined",
        "policies/secrets.py",
        "if scaled[j] - scaled[i] > reach:",
        "if scaled[j] - scaled[i] >= reach:",
        ("tests/policies/test_secrets.py",),
    ),
    Mutant(
        "a count may not reach its largest number",
        "policies/constraint.py",
        "least - left <= so_far <= most",
        "least - left <= so_far < most",
        ("tests/policies/test_constraint.py",),
    ),
    Mutant(
        "the sensitivity is the least difference of neighbours",
        "policies/query.py",
        "worst = max(range(len(gaps)), key=gaps.__getitem__)",
        "worst = min(range(len(gaps)), key=gaps.__getitem__)",
        ("tests/policies/test_query.py",),
    ),
    Mutant(
        "neighbouring counts are not joined",
        "policies/query.py",
        "crossing |= bool((ends[:, 0] != ends[:, 1]).any())",
        "crossing |= bool((ends[:, 0] & ends[:, 1]).any())",
        ("tests/policies/test_query.py",),
    ),
)

CHANNELS = (
    Mutant(
        "an exact row may miss 1 by a little",
        "channels/channel.py",
        "wrong = sums != 1 if exact else",
        "wrong = abs(sums - 1) * 10**9 > 1 if exact else",
        ("tests/channels/test_channel.py",),
    ),
    Mutant(
        "a cascade takes the second channel's inputs as they stand",
        "channels/channel.py",
        "right = second.matrix if order is None else second.matrix[order]",
        "right = second.matrix",
        ("tests/channels/test_channel.py", "tests/channels/test_composition.py"),
    ),
    Mutant(
        "one output in several looks is counted once",
        "channels/composition.py",
        "powers = np.array([[p**k for k in range(n + 1)] for p in channel.matrix[:, z]])",
        "powers = np.array([[p**min(k, 1) for k in range(n + 1)] for p in channel.matrix[:, z]])",
        ("tests/channels/test_composition.py",),
    ),
    Mutant(
        "paths of a program with equal outcomes count once",
        "channels/program/paths.py",
        "found[outcome] = found.get(outcome, 0) + probability",
        "found[outcome] = probability",
        ("tests/channels/test_program.py",),
    ),
    Mutant(
        "two beliefs are told apart one way only",
        "channels/kantorovich.py",
        "_largest_mean(*both[::-1], pairs)",
        "_largest_mean(*both, pairs)",
        ("tests/channels/test_distance.py",),
    ),
    Mutant(
        "more is remapped than there is room for",
        "channels/refinement/distance.py",
        "return remap / max(fmpq(1), *(made[some] / wanted[some]), *remap.sum(axis=1))",
        "return remap",
        ("tests/channels/test_refinement_distance.py",),
    ),
    Mutant(
        "a mixture is taken for granted if no float tells it apart",
        "channels/refinement/mixtures.py",
        "if isinstance(answer, Infeasible):",
        "if False:",
        ("tests/channels/test_mixtures.py",),
    ),
)

PRIVACY = (
    Mutant(
        "the smallest entry of a column is not looked for",
        "privacy/largest_ratio.py",
        "pairs = np.stack([matrix.argmax(axis=0), matrix.argmin(axis=0)], axis=1)",
        "pairs = np.stack([matrix.argmax(axis=0), 0 * matrix.argmin(axis=0)], axis=1)",
        ("tests/privacy/test_largest_ratio.py",),
    ),
    Mutant(
        "floats are compared one way only",
        "privacy/largest_ratio.py",
        "above, below = np.maximum(here, there), np.minimum(here, there, out=here)",
        "above, below = here.copy(), there.copy()",
        ("tests/privacy/test_largest_ratio.py", "tests/privacy/test_level.py"),
    ),
    Mutant(
        "what the error of logarithms may hide is not compared",
        "privacy/largest_ratio.py",
        "k, z = np.nonzero(gaps >= best - slack)",
        "k, z = np.nonzero(gaps >= best)",
        ("tests/privacy/test_level.py",),
    ),
    Mutant(
        "records in parallel are as private as the best of them",
        "privacy/records.py",
        "if level.witness is not None and exceeds(level, worst):",
        "if level.witness is not None and (worst.witness is None or exceeds(worst, level)):",
        ("tests/privacy/test_level.py",),
    ),
    Mutant(
        "records that change together count as one",
        "privacy/records.py",
        "ratio = math.prod((ratios[part] for part in parts[0]), start=fmpq(1))",
        "ratio = max(ratios[part] for part in parts[0])",
        ("tests/privacy/test_level.py",),
    ),
    Mutant(
        "δ is taken at the upper end of e^ε",
        "privacy/profile.py",
        "most, at = _most(self.upper, rational(asked.lower))",
        "most, at = _most(self.upper, rational(asked.upper))",
        ("tests/privacy/test_profile.py",),
    ),
    Mutant(
        "a breach that makes something less likely is none",
        "privacy/breach.py",
        "return max(moved, 1 / moved) if SMALL < moved < 1 / SMALL else math.inf",
        "return moved if SMALL < moved < 1 / SMALL else math.inf",
        ("tests/privacy/test_breach.py",),
    ),
    Mutant(
        "ratios are put in order by floats",
        "privacy/order.py",
        "excess >= top - 2 * (slack_a + slack_b)",
        "excess >= top",
        ("tests/privacy/test_order.py",),
    ),
)

WORST_CASE = (
    Mutant(
        "several records are bounded by prices",
        "worst_case/optimum.py",
        "covered = [piece.covered() for piece in pieces]",
        "covered = list(pieces)",
        ("tests/worst_case/test_optimum.py", "worst_case.of_several_records"),
    ),
    Mutant(
        "a cover is divided by its largest coverage",
        "worst_case/columns/cover.py",
        "coverage(graph, ratio, weights, orbits).min())",
        "coverage(graph, ratio, weights, orbits).max())",
        ("tests/worst_case/test_cover.py",),
    ),
    Mutant(
        "the mechanism is built for the upper end of e^ε",
        "worst_case/records.py",
        "below = above = tuple(_settle(one, ratio.lower) for one in components)",
        "below = above = tuple(_settle(one, ratio.upper) for one in components)",
        ("tests/worst_case/test_optimum.py", "worst_case.at_an_epsilon"),
    ),
    Mutant(
        "the bound is computed for the lower end of e^ε",
        "worst_case/records.py",
        "above = tuple(_settle(p.graph, ratio.upper, p.mechanism) for p in below)",
        "above = below",
        ("tests/worst_case/test_optimum.py", "worst_case.at_an_epsilon"),
    ),
    Mutant(
        "an interval counts as exact if any part is",
        "worst_case/records.py",
        "return all(part.lower == part.upper for part in (*self.below, *self.above))",
        "return any(part.lower == part.upper for part in (*self.below, *self.above))",
        (
            "tests/worst_case/test_optimum.py::"
            "test_an_interval_beside_an_exact_component_is_no_exact_answer",
        ),
    ),
    Mutant(
        "a negative weighting is taken for one",
        "worst_case/columns/cover.py",
        "return weights if weights.min() >= 0 else None",
        "return weights",
        ("tests/worst_case/test_cover.py", "tests/worst_case/test_optimum.py"),
    ),
    Mutant(
        "a formula is a bound where it is too small",
        "worst_case/every_ratio/decision.py",
        "if sign_at(polynomial, rational(ratio)) < 0:",
        "if sign_at(polynomial, rational(ratio)) > 0:",
        ("tests/worst_case/test_function.py",),
    ),
    Mutant(
        "between the roots of a formula nothing is looked at",
        "worst_case/every_ratio/decision.py",
        "roots = [root for root in roots_above_one(polynomial) if root in piece]",
        "roots = []",
        ("tests/worst_case/test_function.py", "worst_case.decided_formulas"),
    ),
    Mutant(
        "a bound by diameters takes radii",
        "worst_case/published/formulas.py",
        "[(1, d) for d in graph.component_diameters])",
        "[(1, max(0, d - 1)) for d in graph.component_diameters])",
        ("tests/worst_case/test_published.py", "worst_case.published_bounds"),
    ),
    Mutant(
        "columns are not lifted",
        "worst_case/columns/lifting.py",
        "parts, lifted = _parts(graph, ratio), lift(units, graph, ratio)",
        "parts, lifted = _parts(graph, ratio), units.copy()",
        ("tests/mechanisms/test_repair.py",),
    ),
)

ALONE, READ = "tests/worst_case/test_conditions.py", "tests/test_check.py"
FORGED = "tests/worst_case/test_certificate.py"

CHECKER = tuple(
    Mutant(what, "check.py", old, new, (by,))
    for what, old, new, by in (
        (
            "rows need not sum to 1",
            "fits = min(row, default=-1) >= 0 and least * unit <= sum(row) <= unit",
            "fits = min(row, default=-1) >= 0",
            ALONE,
        ),
        (
            "entries may be negative",
            "fits = min(row, default=-1) >= 0 and least * unit <= sum(row) <= unit",
            "fits = least * unit <= sum(row) <= unit",
            ALONE,
        ),
        (
            "privacy is not demanded",
            "private = all(map(le, low[i], high))",
            "private = True",
            ALONE,
        ),
        (
            "several records may be bounded by prices",
            "demand(counted <= 1,",
            "demand(counted <= 2,",
            FORGED,
        ),
        (
            "flows may be negative",
            'demand(min(values[n:], default=0) >= 0, "a flow must not be negative")',
            "pass",
            ALONE,
        ),
        (
            "arcs may lead anywhere",
            "demand(i in at and h in at and h in self.near[i],",
            "demand(i in at and h in at,",
            ALONE,
        ),
        (
            "covers may be negative",
            'demand(min(values) >= 0, "a weight must not be negative")',
            "pass",
            ALONE,
        ),
        (
            "a cover is judged where it covers best",
            "return Fraction(sum(values) * whole, min(covered))",
            "return Fraction(sum(values) * whole, max(covered))",
            ALONE,
        ),
        (
            "what a flow leaves may be negative",
            'demand(min(left) >= 0, f"flow {k} proves too little")',
            "pass",
            ALONE,
        ),
        (
            "vertices may be left out of the parts",
            'demand(held == list(range(len(self.near))), "the parts must hold every vertex once")',
            "pass",
            ALONE,
        ),
        (
            "an edge may be there twice",
            'demand(h not in found[0].near[i], f"edge {i}-{h} is there twice")',
            "pass",
            READ,
        ),
        (
            "the prior need not sum to 1",
            'demand(sum(chances) == unit and min(chances) >= 0, "the prior must sum to 1")',
            "pass",
            ALONE,
        ),
        ("any number may be claimed", "demand(found == claimed,", "demand(True,", ALONE),
        (
            "a bound is printed rounded down",
            "context = Context(digits, side.rounding, MIN_EMIN, MAX_EMAX)",
            "context = Context(digits, ROUND_FLOOR, MIN_EMIN, MAX_EMAX)",
            "numbers.told_by_the_checker",
        ),
        (
            "near 1 a logarithm has no digits left",
            "if (x := value - 1) < Fraction(1, 10**20):",
            "if (x := value - 1) < 0:",
            "numbers.told_by_the_checker",
        ),
    )
)

MECHANISMS = (
    Mutant(
        "a text that looks like a number is written like one",
        "worst_case/certificate.py",
        "return repr(str(label)) if _OF_OTHERS.fullmatch(label) else str(label)",
        "return str(label)",
        ("tests/mechanisms/test_guarantee.py",),
    ),
    Mutant(
        "randomised response tells the truth too often",
        "mechanisms/randomized_response.py",
        "return self.ratio / (len(self.values) - 1 + self.ratio)",
        "return self.ratio / (len(self.values) - 2 + self.ratio) if len(self.values) > 2 else "
        "self.ratio / (1 + self.ratio)",
        ("tests/mechanisms/test_randomized_response.py",),
    ),
    Mutant(
        "the spread of scores is the largest change",
        "mechanisms/exponential.py",
        "return int(np.ptp(changes, axis=1).max(initial=0)) * self.unit",
        "return int(np.abs(changes).max(initial=0)) * self.unit",
        ("tests/mechanisms/test_exponential.py",),
    ),
    Mutant(
        "a trade-off is private one way only",
        "mechanisms/best/tradeoff.py",
        "useful, attacked, arcs + [(h, i, most) for i, h, most in arcs])",
        "useful, attacked, arcs)",
        ("tests/mechanisms/test_tradeoff.py",),
    ),
    Mutant(
        "a draw at the border of a cell takes the other output",
        "mechanisms/release/alias.py",
        "if is_below(own, low, self.low_bits, source):",
        "if False:",
        ("tests/mechanisms/test_draw.py",),
    ),
    Mutant(
        "half of the noise has the other sign",
        "mechanisms/release/noise.py",
        "return np.where(positive, block, ~block)",
        "return np.where(positive, block, -block)",
        ("tests/mechanisms/test_draw.py", "samples.noise"),
    ),
    Mutant(
        "weights that are not the best prove as much",
        "mechanisms/best/rate_distortion.py",
        "(nats - arb(highest).log())",
        "nats",
        ("tests/mechanisms/test_rate_distortion.py",),
    ),
    Mutant(
        "the likeliest prior is said to be likeliest",
        "samples/prior.py",
        "max(gap, 0.0)",
        "0.0",
        ("tests/samples/test_prior.py",),
    ),
)

PEOPLE = (
    Mutant(
        "of all others the harmless ones are taken",
        "leakage/individual.py",
        "return max(found.values(), key=lambda each: each[0])",
        "return min(found.values(), key=lambda each: each[0])",
        ("tests/leakage/test_individual.py", "people.all_others_known"),
    ),
    Mutant(
        "of several kinds of records the one that is guessed worst is told",
        "leakage/uninformed.py",
        "best = max(found, key=lambda k: (*chances[k], -k))",
        "best = min(found, key=lambda k: (*chances[k], -k))",
        ("tests/leakage/test_uninformed.py", "people.nobody_known"),
    ),
    Mutant(
        "the power of a guarantee is rounded down",
        "repetition/attacker.py",
        "return ball.upper().fmpq()",
        "return ball.lower().fmpq()",
        ("tests/repetition/test_attacker.py", "repetition.explained_guarantees"),
    ),
    Mutant(
        "a chosen ε may let a guess exceed the chance",
        "repetition/choosing.py",
        "safe, unsafe = (middle, unsafe) if chance(middle) <= limit else (safe, middle)",
        "safe, unsafe = (middle, unsafe) if chance(safe) <= limit else (safe, middle)",
        ("tests/repetition/test_choosing.py",),
    ),
    Mutant(
        "floats are not widened by their errors",
        "repetition/types/decisions.py",
        "slack, lost = 2 * (_roundings(types) + RUN) * UNIT,",
        "slack, lost = 0 * (_roundings(types) + RUN) * UNIT,",
        ("tests/repetition/test_decisions.py", "tests/repetition/test_success.py"),
    ),
    Mutant(
        "of a success that is not settled it is said that it is reached",
        "repetition/curve.py",
        "if target <= rational(found.lower) or 1 - target >= rational(found.error.upper):",
        "if target <= rational(found.upper) or 1 - target >= rational(found.error.upper):",
        ("tests/repetition/test_curve.py",),
    ),
    Mutant(
        "a confidence limit is not moved until it is proved",
        "samples/confidence.py",
        "if 0 < candidate < 1 and proved(candidate):",
        "if 0 < candidate < 1:",
        ("tests/samples/test_confidence.py", "samples.limits_of_counts"),
    ),
    Mutant(
        "an event is counted among the samples that judged it",
        "samples/black_box.py",
        "slice(half // 2), slice(half // 2, half), slice(half, None))",
        "slice(half // 2), slice(half // 2, half), slice(half // 2, half))",
        ("tests/samples/test_black_box.py",),
    ),
    Mutant(
        "a verdict allows what the upper end of e^ε may",
        "studies/verdict.py",
        "if level.holds(asked):",
        "if level.ratio <= asked.upper:",
        ("tests/studies/test_audit.py",),
    ),
)

TABLES = (
    Mutant(
        "a budget allows what is above it",
        "tables/budget.py",
        "return bool(left > 0)",
        "return True",
        ("tests/tables/test_budget.py",),
    ),
    Mutant(
        "a value that moves from cell to cell counts once",
        "tables/weights.py",
        "return np.where(u == v, 0, (u >= 0).astype(np.int64) + (v >= 0))",
        "return np.where(u == v, 0, 1)",
        ("tests/tables/test_budget.py", "tests/tables/test_calibration.py"),
    ),
    Mutant(
        "the rows of one person are paid for once",
        "tables/protection.py",
        "return self.rows_per_person * paid.exponents(self.pairs[cases])",
        "return paid.exponents(self.pairs[cases])",
        ("tests/tables/test_calibration.py",),
    ),
)

NOISE = (
    Mutant(
        "whatever has geometric tails is taken for noise likeliest at 0",
        "leakage/noise_on_sums.py",
        "    if not mechanism.is_unimodal:\n        return None\n",
        "",
        ("tests/channels/test_additive_noise.py",),
    ),
    Mutant(
        "whatever has a tail is taken for geometric noise",
        "leakage/noise_on_sums.py",
        "and isinstance(mechanism, GeometricTails)):",
        'and hasattr(mechanism, "tail")):',
        ("tests/channels/test_additive_noise.py",),
    ),
    Mutant(
        "noise is compared beyond both centres only",
        "channels/additive_noise.py",
        "return max(self.step ** abs(shift), centre / there, there / centre)",
        "return self.step ** abs(shift)",
        ("tests/channels/test_additive_noise.py",),
    ),
    Mutant(
        "noise that never adds nothing is told apart by a finite ratio",
        "channels/additive_noise.py",
        "return Fraction(1) if centre == there else math.inf",
        "return Fraction(1)",
        ("tests/channels/test_additive_noise.py",),
    ),
    Mutant(
        "geometric tails have the ratio of a step, whatever their centre",
        "channels/additive_noise.py",
        "return self.shift_ratio(1) == self.step",
        "return True",
        ("tests/channels/test_additive_noise.py",),
    ),
    Mutant(
        "the mean size of noise counts one side only",
        "channels/additive_noise.py",
        "return (1 - self.centre) / (1 - 1 / self.step)",
        "return (1 - self.centre) / 2 / (1 - 1 / self.step)",
        ("tests/channels/test_additive_noise.py", "tests/mechanisms/test_calibrated.py"),
    ),
    Mutant(
        "noise is compared one way only",
        "privacy/noise_level.py",
        "        pair.setdefault(tuple(-d for d in shift), (b, a))\n",
        "",
        ("tests/channels/test_additive_noise.py",),
    ),
    Mutant(
        "the level of noise under constraints is that of one step",
        "privacy/noise_level.py",
        "if known is None else (int(known.value), known.witness)",
        "if known is None else (1, known.witness)",
        ("tests/privacy/test_noise_level.py",),
    ),
    Mutant(
        "the shifts of listed databases are those of values",
        "privacy/noise_level.py",
        "values: Any = one if policy.is_constrained and policy.records > 1 else (one,)",
        "values: Any = (one,)",
        ("tests/channels/test_additive_noise.py",),
    ),
    Mutant(
        "records are independent unless only counts are public",
        "policies/policy.py",
        "most = int((ends[:, 0] != ends[:, 1]).sum(axis=1).max(initial=0))",
        "most = 1",
        ("tests/privacy/test_noise_level.py", "tests/mechanisms/test_calibrated.py"),
    ),
    Mutant(
        "a database of one record is read as its letters",
        "policies/query.py",
        "return query if policy.records > 1 else lambda value: query((value,))",
        "return query",
        ("tests/policies/test_query.py",),
    ),
    Mutant(
        "a calibrated epsilon is printed rounded up",
        "mechanisms/calibrated.py",
        "ε = {below(self.epsilon)} for",
        "ε = {self.epsilon + 1e-6:.6f} for",
        ("tests/mechanisms/test_calibrated.py",),
    ),
    Mutant(
        "kinds of neighbours are ranked by floats as if these were exact",
        "policies/public_counts/search.py",
        "sizes += (len(best) + 4) * ROUNDING * (moves @ np.abs(best)) + 2.0**-900",
        "sizes += 0.0",
        ("tests/policies/public_counts/test_large_numbers.py",),
    ),
    Mutant(
        "ratios beyond the largest float are infinite",
        "policies/public_counts/search.py",
        "return log2(weight) if self.gains.multiply",
        "return float(np.log2(to_float(weight))) if self.gains.multiply",
        ("tests/policies/public_counts/test_large_numbers.py",),
    ),
    Mutant(
        "sums beyond the largest float are infinite",
        "policies/public_counts/search.py",
        "to_float(weight / self.unit)",
        "to_float(weight)",
        ("tests/policies/public_counts/test_large_numbers.py",),
    ),
    Mutant(
        "the proposed assignment is its own bound",
        "policies/public_counts/cycles.py",
        "return after, int((sizes - prices).max(axis=1).sum() + prices.sum())",
        "return after, int(sizes[every, after].sum())",
        ("tests/policies/public_counts/test_large_numbers.py",),
    ),
    Mutant(
        "the prices of successors are not counted in the bound",
        "policies/public_counts/cycles.py",
        "(sizes - prices).max(axis=1).sum() + prices.sum())",
        "(sizes - prices).max(axis=1).sum())",
        ("tests/policies/public_counts/test_large_numbers.py",),
    ),
    Mutant(
        "what no breach exceeds is printed to the nearest",
        "privacy/breach_level.py",
        "ratio {shown_above(self.ratio)}",
        "ratio {shown(self.ratio)}",
        ("tests/privacy/test_level.py",),
    ),
    Mutant(
        "noise on a line falls with the ratio, whatever the sensitivity",
        "mechanisms/line.py",
        "fall, beyond = 1 / rational(self.step), rational(self.tail(1))",
        "fall, beyond = 1 / rational(self.ratio), rational(self.tail(1))",
        ("tests/mechanisms/test_geometric.py",),
    ),
    Mutant(
        "a coupling is said to change two others at most",
        "leakage/coupling.py",
        "            while not _couples(one, other, most):",
        "            while most < 2 and not _couples(one, other, most):",
        ("tests/leakage/test_coupling.py",),
    ),
)

COUNTS = (
    Mutant(
        "a noisy count is told as if nothing were public",
        "leakage/population.py",
        "n, counts = policy.records, policy.public_counts",
        "n, counts = policy.records, None",
        ("tests/leakage/test_uninformed.py", "counts.noise_under_counts"),
    ),
    Mutant(
        "the record itself is counted among the others of its cell",
        "leakage/population.py",
        "others = ((p, m - (p == share)) for p, m in many.items())",
        "others = ((p, m) for p, m in many.items())",
        ("tests/leakage/test_uninformed.py", "counts.noise_under_counts"),
    ),
    Mutant(
        "all histograms that the counts leave are equally likely",
        "leakage/population.py",
        "weight *= comb(left, k) * share**k",
        "weight *= 1",
        ("tests/leakage/test_uninformed.py", "counts.noise_under_counts"),
    ),
    Mutant(
        "a record is in every cell with the same chance, by polynomials",
        "leakage/population.py",
        "here = fmpq_poly([weight * histogram[i] / self.records])",
        "here = fmpq_poly([weight / len(self.cells)])",
        ("tests/leakage/test_uninformed.py",),
    ),
    Mutant(
        "binomial counts are cut off near their means",
        "leakage/population.py",
        "return isqrt(29 * n) + 1",
        "return isqrt(n) + 1",
        ("tests/leakage/test_uninformed.py",),
    ),
    Mutant(
        "what floats leave out of a noisy count is not added to its upper end",
        "leakage/uninformed.py",
        "upper = min(fmpq(1), after * slack + others.lost)",
        "upper = min(fmpq(1), after / slack)",
        ("tests/leakage/test_uninformed.py", "counts.noise_under_counts"),
    ),
    Mutant(
        "a channel on other answers than sums is told as if nothing were public",
        "leakage/uninformed.py",
        "if _agrees(whole, policy):",
        "if True:",
        ("tests/leakage/test_uninformed.py", "counts.answers_under_counts"),
    ),
    Mutant(
        "a sum of numbers that are not whole is cut off to whole ones",
        "leakage/uninformed.py",
        "if isinstance(query, LinearQuery) and adds_whole_numbers(query, policy):",
        "if isinstance(query, LinearQuery) and not isinstance(query.weight(values[0]), tuple):",
        ("tests/leakage/test_uninformed.py",),
    ),
    Mutant(
        "named counts are averaged over together with published ones",
        "leakage/published_counts.py",
        "is_named = not divisions.are_named and any(",
        "is_named = divisions.are_named and any(",
        ("tests/leakage/test_under_counts.py", "counts.published_counts_tell"),
    ),
    Mutant(
        "how far published counts stray is left out",
        "leakage/published_counts.py",
        "return arb(least) + arb(within) * sum((arb(s).sqrt() for s in strays), arb(0)) / n",
        "return arb(least) + 0 * arb(within) * sum((arb(s).sqrt() for s in strays), arb(0)) / n",
        ("tests/leakage/test_under_counts.py", "counts.published_counts_tell"),
    ),
    Mutant(
        "a range that leaves every number is read as its least",
        "leakage/divisions.py",
        "if one.is_told or one.least == most:",
        "if one.is_told or one.least <= most:",
        ("tests/leakage/test_under_counts.py", "counts.published_counts_tell"),
    ),
    Mutant(
        "a set that is named and published is taken to be unknown",
        "leakage/divisions.py",
        "division[same[0]] = (values, number)",
        "pass",
        ("tests/leakage/test_under_counts.py",),
    ),
    Mutant(
        "a channel on answers is taken for one on each record's value",
        "leakage/under_counts.py",
        "if isinstance(mechanism, Channel) and query is not None and policy.public_counts is not ",
        "query = None if isinstance(mechanism, Channel) else query\n    if None is not ",
        ("tests/leakage/test_under_counts.py", "counts.answers_under_counts"),
    ),
    Mutant(
        "an answer that gives a value away has no infinite ratio",
        "leakage/under_counts.py",
        "if bool(x) != bool(y):\n                return math.inf",
        "if bool(x) != bool(y):\n                continue",
        ("tests/leakage/test_under_counts.py",),
    ),
    Mutant(
        "a cell may have more records than its counts leave",
        "policies/public_counts/cells.py",
        "if last[q] == i)])",
        "if last[q] != i)])",
        ("tests/policies/public_counts", "tests/leakage/test_uninformed.py"),
    ),
    Mutant(
        "bits are added up where some counts are named and others published",
        "studies/public.py",
        'both = leakage if study.policy.is_free else Skipped("counts are named")',
        "both = leakage",
        ("tests/studies/test_public.py",),
    ),
)

LEDGERS = (
    Mutant(
        "all rows of a person have one value, of which one is guessed",
        "tables/odds.py",
        "kept *= kept.min() ** (rows - 1)",
        "kept = kept**rows",
        ("tests/tables/test_odds.py",),
    ),
    Mutant(
        "of many values the other rows of a person add nothing",
        "tables/odds.py",
        "others = 0.0 if rows == 1 else (rows - 1) * (math.inf if bare else far)",
        "others = 0.0",
        ("tests/tables/test_odds.py",),
    ),
    Mutant(
        "what is told without noise of one row says nothing of another",
        "tables/odds.py",
        "(math.inf if bare else far)",
        "far",
        ("tests/tables/test_odds.py",),
    ),
    Mutant(
        "odds that are at most so much are rounded to the nearest",
        "tables/odds.py",
        "float_above(rational(self.after))",
        "float(self.after)",
        ("tests/tables/test_odds.py",),
    ),
    Mutant(
        "an answer that is missing from a ledger is drawn again",
        "tables/ledger/history.py",
        "    if missing:\n",
        "    if False:\n",
        ("tests/tables/test_damage.py",),
    ),
    Mutant(
        "what is not in the history of a ledger counts, too",
        "tables/ledger/history.py",
        "if link and link not in missing:",
        "if False:",
        ("tests/tables/test_damage.py",),
    ),
    Mutant(
        "the end of a ledger's history is not pinned",
        "tables/ledger/history.py",
        "if tip != [(len(rows), states[-1])] or rows",
        "if rows",
        ("tests/tables/test_damage.py",),
    ),
    Mutant(
        "an answer is not written into the history",
        "tables/ledger/ledger.py",
        "append(opened, link)",
        "pass",
        ("tests/tables/test_damage.py",),
    ),
    Mutant(
        "a ledger of the version before gets no history",
        "tables/ledger/ledger.py",
        "if format_of(opened) != FORMAT:",
        "if False:",
        ("tests/tables/test_damage.py",),
    ),
    Mutant(
        "a changed entry of a ledger is taken as it is",
        "tables/ledger/entry.py",
        "        if chain != last:\n",
        "        if False:\n",
        ("tests/tables/test_damage.py", "tests/tables/test_ledger.py"),
    ),
    Mutant(
        "numbers are taken for those of an answer whatever their hash",
        "tables/ledger/entry.py",
        "if entry.answer != digest(entry.chain, text):",
        "if False:",
        ("tests/tables/test_damage.py", "tests/tables/test_ledger.py"),
    ),
    Mutant(
        "a ledger's cells may be of any kind",
        "tables/ledger/entry.py",
        "if tuple(map(type, row)) != COLUMNS or row[0] != place:",
        "if row[0] != place:",
        ("tests/tables/test_damage.py",),
    ),
    Mutant(
        "an answer is stored under the number of another entry",
        "tables/ledger/ledger.py",
        "if own.chain == entry.chain:",
        "if True:",
        ("tests/tables/test_damage.py",),
    ),
    Mutant(
        "an older copy of a ledger is as good as any",
        "tables/ledger/ledger.py",
        "if not any(state.startswith(noted.lower()) for state in self.states()):",
        "if False:",
        ("tests/tables/test_damage.py",),
    ),
    Mutant(
        "the pages of a ledger are not checked",
        "tables/ledger/file.py",
        'if file.execute("PRAGMA integrity_check").fetchall() != [("ok",)]:',
        "if False:",
        ("tests/tables/test_damage.py",),
    ),
    Mutant(
        "a ledger may have tables and triggers of others",
        "tables/ledger/file.py",
        "if sorted(made) != sorted((table,) for table in known):",
        "if False:",
        ("tests/tables/test_damage.py",),
    ),
    Mutant(
        "a ledger's head may be there twice, and of any kind",
        "tables/ledger/file.py",
        "if len(rows) != 1 or not all(isinstance(cell, str) for cell in rows[0]):",
        "if False:",
        ("tests/tables/test_damage.py",),
    ),
    Mutant(
        "what SQLite quotes of a damaged file is taken for text",
        "tables/ledger/file.py",
        "except (sqlite3.Error, UnicodeDecodeError) as wrong:",
        "except sqlite3.Error as wrong:",
        ("tests/tables/test_damage.py",),
    ),
    Mutant(
        "a ledger may have two names",
        "tables/ledger/file.py",
        "if (names := path.stat().st_nlink) > 1:",
        "if (names := path.stat().st_nlink) > 2:",
        ("tests/tables/test_damage.py",),
    ),
    Mutant(
        "a ledger is made where locks do not hold",
        "tables/ledger/file.py",
        'if tried.stdout.strip() != "locked":',
        "if not tried.stdout.strip():",
        ("tests/tables/test_damage.py",),
    ),
    Mutant(
        "everybody may read a new ledger",
        "tables/ledger/file.py",
        "os.O_WRONLY, 0o600)",
        "os.O_WRONLY, 0o644)",
        ("tests/tables/test_damage.py",),
    ),
    Mutant(
        "the numbers that leave are those just drawn, not those of the ledger",
        "tables/publishing.py",
        "    stored = book.store(entry, Stored(drawn(noise, counts, rng), counts.schema))\n",
        "    stored = Stored(drawn(noise, counts, rng), counts.schema)\n"
        "    book.store(entry, stored)\n",
        ("tests/tables/test_ledger.py",),
    ),
)

EDGES = (
    Mutant(
        "a mistake of ours leaves as a violated policy does",
        "commands/app.py",
        "WRONG, DEFECT, STOPPED, CLOSED = 2, 70, 130, 141",
        "WRONG, DEFECT, STOPPED, CLOSED = 2, 1, 130, 141",
        ("tests/commands/test_endings.py",),
    ),
    Mutant(
        "what a mistake of ours says is shown",
        "commands/app.py",
        "{type(wrong).__name__} at {place}",
        "{wrong!r} at {place}",
        ("tests/commands/test_endings.py",),
    ),
    Mutant(
        "a bound on a chance near 1 is no number",
        "exact/shown.py",
        "return _plain(math.ceil(value * 10 ** (decimals + 2)), decimals)",
        "return _written(math.ceil(value * 10 ** (decimals + 2)), decimals, value)",
        ("tests/exact/test_percent.py",),
    ),
    Mutant(
        "a lower end is printed rounded up",
        "exact/shown.py",
        "rational(value), lambda near: below(math.nextafter(near, -math.inf)), float_below, 0",
        "rational(value), lambda near: above(math.nextafter(near, math.inf)), float_above, 0",
        ("tests/reports/test_safe_side.py",),
    ),
    Mutant(
        "a bound in a report is the nearest float",
        "reports/wording.py",
        "return math.nextafter(float_above(exact), math.inf)",
        "return to_float(exact)",
        ("tests/reports/test_safe_side.py",),
    ),
    Mutant(
        "a ratio that no float has ends a report",
        "reports/wording.py",
        "if not SMALLEST < abs(number) < 1 / SMALLEST:",
        "if number == 0:",
        ("tests/reports/test_safe_side.py",),
    ),
    Mutant(
        "an interval of a chance is printed inward",
        "repetition/enclosure.py",
        'return f"{below(float(self.lower))} to {above(float(self.upper))}"',
        'return f"{above(float(self.lower))} to {below(float(self.upper))}"',
        ("tests/reports/test_safe_side.py",),
    ),
    Mutant(
        "a chance that is a bound is rounded to the nearest in a table",
        "reports/table.py",
        "return found.value if found.is_exact else AtMost(float_above(rational(found.value)))",
        "return found.value",
        ("tests/reports/test_safe_side.py",),
    ),
    Mutant(
        "a noisy number is called exact if its interval is narrow",
        "commands/table.py",
        'between = f"{low:,} to {high:,}" if noise else "exactly"',
        'between = f"{low:,} to {high:,}" if low < high else "exactly"',
        ("tests/commands/test_table.py",),
    ),
    Mutant(
        "a table has no room on a narrow terminal",
        "reports/terminal.py",
        "max(room, NARROWEST // 2)",
        "room",
        ("tests/commands/test_narrow.py",),
    ),
    Mutant(
        "what hangs on an error quotes a cell",
        "errors.py",
        "wrong.__context__ = wrong.__cause__ = None",
        "wrong.__cause__ = None",
        ("tests/mechanisms/test_unquoted.py",),
    ),
    Mutant(
        "an input that does not fit is quoted",
        "mechanisms/release/draw.py",
        'f"inputs[{at}] is no input',
        'f"inputs[{at}], {wanted[at]!r}, is no input',
        ("tests/mechanisms/test_unquoted.py",),
    ),
    Mutant(
        "the browser is started with the token",
        "web/server.py",
        "webbrowser.open(way.open())",
        "webbrowser.open(way.open() and address)",
        ("tests/web/test_server.py",),
    ),
    Mutant(
        "everybody may read the file that leads to the page",
        "web/server.py",
        "os.O_EXCL, 0o600)",
        "os.O_EXCL, 0o644)",
        ("tests/web/test_server.py",),
    ),
)

CURVES = (
    Mutant(
        "the spare chance goes to the value with the least a",
        "curves/guess.py",
        "star = max(range(len(a)), key=a.__getitem__)",
        "star = min(range(len(a)), key=a.__getitem__)",
        ("tests/curves/test_guess.py",),
    ),
    Mutant(
        "several tries are those of single events",
        "curves/guess.py",
        "(r * k + (v - 1) * d) / (r * k + v - k)",
        "(r * k + (v - 1) * d) / (r + v - 1)",
        ("tests/curves/test_guess.py",),
    ),
    Mutant(
        "a curve's bound may be more than is claimed",
        "check.py",
        "demand(bound <= ends[1],",
        "demand(bound <= ends[1] + 1,",
        ("tests/curves/test_guess.py", "tests/curves/test_graphs.py"),
    ),
    Mutant(
        "a mechanism may exceed its pairs",
        "check.py",
        "demand(over * b <= a * q * unit,",
        "demand(over * b <= a * q * unit + unit * q * b,",
        ("tests/curves/test_guess.py",),
    ),
    Mutant(
        "a cover counts no δ",
        "curves/graphs.py",
        "(1 - delta) * sum(u, ZERO) + delta * sum(cover, ZERO)",
        "(1 - delta) * sum(u, ZERO)",
        ("tests/curves/test_graphs.py",),
    ),
    Mutant(
        "all records are never told",
        "curves/records.py",
        "return delta + (1 - delta) * whole",
        "return (1 - delta) * whole",
        ("tests/curves/test_posterior.py",),
    ),
    Mutant(
        "the noise is that which does not keep the risk",
        "curves/calibration.py",
        "    return top\n",
        "    return low\n",
        ("tests/curves/test_posterior.py",),
    ),
    Mutant(
        "two infinite losses are none",
        "curves/composition.py",
        "self.infinite * (theirs + other.infinite) + mine * other.infinite",
        "self.infinite * theirs + mine * other.infinite",
        ("tests/curves/test_curve.py",),
    ),
    Mutant(
        "losses are split on the lower side, too",
        "curves/composition.py",
        "return _split(polygon, step) if up else _merged(polygon, step)",
        "return _split(polygon, step)",
        ("tests/curves/test_curve.py",),
    ),
    Mutant(
        "a belief is reached from anywhere",
        "curves/polygon.py",
        "return (q - slope * b) / (rise - slope)",
        "return (q - slope * b) / rise",
        ("tests/curves/test_posterior.py", "tests/curves/test_curve.py"),
    ),
)

PAPERS = (
    Mutant(
        "of the sets of outputs that leaks least is taken",
        "mechanisms/best/few_outputs.py",
        "best = max(tried, key=lambda one: one.upper)",
        "best = min(tried, key=lambda one: one.upper)",
        ("tests/mechanisms/test_few_outputs.py",),
    ),
    Mutant(
        "a formula below 1 is reached by some private channel",
        "worst_case/every_ratio/decision.py",
        "missed = _first_negative((r - s, p) for p in function.pieces)",
        "missed = None",
        ("tests/worst_case/test_function.py",),
    ),
    Mutant(
        "a database in between rules neighbours out only if it changes less in all",
        "policies/secret_difference.py",
        "if partly and (partly < secret or (partly == secret and seen < total)):",
        "if partly and (partly < secret):",
        ("tests/policies/test_secret_difference.py",),
    ),
)

MUTANTS = (
    NUMBERS + POLICIES + CHANNELS + PRIVACY + WORST_CASE + CHECKER + MECHANISMS + PEOPLE + TABLES
) + (NOISE + COUNTS + LEDGERS + EDGES + CURVES + PAPERS)
