"""Is every number read, rounded and printed on the safe side? Fractions and long decimals."""

from fractions import Fraction
from typing import Any

from fuzz import direct, drawn
from fuzz.drawn import Draw
from fuzz.property import searched
from leaktight import Ratio, check
from leaktight.errors import InvalidNumber, LeaktightError
from leaktight.exact import ln, ln_interval, log2, log2_interval
from leaktight.exact.numbers import rational, to_float
from leaktight.exact.ratio import step_ratio
from leaktight.exact.rounding import float_above, float_below
from leaktight.exact.shown import above, below, nearest, percent, percent_above

TINY = Fraction(1, 10**250)


def decimal(draw: Draw) -> str:
    """A number as people and programs write it."""
    digits = "".join(str(draw.below(10)) for _ in range(draw.integer(1, 8)))
    point = draw.below(len(digits) + 1)
    written = f"{digits[:point]}.{digits[point:]}" if point else digits
    return written + draw.pick(["", "", f"e{draw.integer(-400, 308)}"])


def positive(draw: Draw) -> str:
    """A number above 0: any digits, or one near to where arithmetic turns."""
    if draw.maybe():
        near = ("1", "2", "1/3", "2/3", "99/100", "999999/1000000", "1e-300", "1e300", "1/7000")
        return draw.pick(near + drawn.NEAR_ONE)
    return f"{draw.integer(1, 10**9)}/{draw.integer(1, 10**9)}"


def many(one: Any) -> Any:
    """Several of them."""
    return lambda draw: draw.some(one, 1, 16)


@searched(written=many(decimal))
def read_as_written(written: Any) -> int:
    """A number is read as another than it says."""
    for text in written:
        for sign in ("", "-", "+"):
            assert Fraction(str(rational(sign + text))) == Fraction(sign + text)
    return 3 * len(written)


@searched(
    text=lambda d: "".join(d.pick("0123456789/.eE+-_ ln()∞½٣x\n") for _ in range(d.integer(0, 8)))
)
def read_or_refused(text: str) -> int:
    """A text that is no number is read as one."""
    try:
        found = rational(text)
    except InvalidNumber:
        return 1
    assert Fraction(int(found.p), int(found.q)) == Fraction(text)
    return 1


@searched(numbers=many(positive))
def rounded_to_a_side(numbers: Any) -> int:
    """A bound is printed, or turned into a float, on the wrong side."""
    for text in numbers:
        value = Fraction(text)
        low, high = float_below(rational(text)), float_above(rational(text))
        assert Fraction(low) <= value <= Fraction(high)
        assert Fraction(to_float(rational(text))) in (Fraction(low), Fraction(high))
        for digits in (4, 6):
            assert Fraction(above(high, digits).replace(",", "")) >= value
            assert Fraction(below(low, digits).replace(",", "")) <= value
            near = Fraction(nearest(low, digits).replace(",", ""))
            assert abs(near - Fraction(low)) <= abs(Fraction(low)) * Fraction(
                51, 10 ** (digits + 1)
            )
    return 8 * len(numbers)


@searched(
    numbers=many(lambda d: f"{d.integer(0, 10**4)}/{10 ** d.integer(4, 9)}"), more=many(positive)
)
def percentages(numbers: Any, more: Any) -> int:
    """A chance is told as less than it is, as 0 or as certain."""
    chances = [Fraction(text) for text in numbers] + [p for p in map(Fraction, more) if p <= 1]
    for chance in chances:
        said, bound = percent(chance), percent_above(chance)
        if "than" not in bound:
            told = Fraction(bound.removesuffix("%")) / 100
            assert chance <= told <= chance + Fraction(1, 1000)
        if "less than" in said:
            assert 0 < chance < Fraction(said.split()[-1].removesuffix("%")) / 100
        elif "more than" in said:
            assert Fraction(999, 1000) < chance < 1
        else:
            assert abs(Fraction(said.removesuffix("%")) / 100 - chance) <= Fraction(1, 2000)
        assert (said == "0%") == (chance == 0)
        assert (said == "100%") == (chance == 1)
    return 4 * len(chances)


@searched(numbers=lambda d: d.some(positive, 1, 4))
def logarithms(numbers: Any) -> int:
    """A logarithm lies outside of its interval, or is not the nearest float."""
    two = direct.logarithm(Fraction(2))
    for text in numbers:
        true = direct.logarithm(Fraction(text))
        for exact, interval, nearest_float in (
            (true, ln_interval(text), ln(text)),
            (true / two, log2_interval(text), log2(text)),
        ):
            assert Fraction(interval[0]) <= exact + TINY
            assert Fraction(interval[1]) >= exact - TINY
            assert abs(Fraction(nearest_float) - exact) <= abs(exact) / 2**53 + TINY
    return 4 * len(numbers)


@searched(epsilon=lambda d: d.pick([drawn.epsilon(d), decimal(d)]))
def ratios_of_epsilons(epsilon: str) -> int:
    """e^ε lies outside of the ratio, so that a mechanism is built for more or a bound for less."""
    try:
        found = Ratio.of(epsilon=epsilon)
    except LeaktightError:
        assert not epsilon.startswith("ln")
        assert Fraction(epsilon) > 10**6
        return 1
    if not epsilon.startswith("ln") and Fraction(epsilon) > 800:
        return 0  # decimals are not long enough
    low, high = direct.epsilon_bounds(epsilon)
    assert found.lower <= high
    assert found.upper >= low
    if not found.is_exact:
        assert found.lower < high
        assert found.upper > low
        assert (found.upper - found.lower) <= (found.upper - 1) / 2**60
    else:
        assert low == high == found.lower or epsilon.strip("0.e-+") == "" or Fraction(epsilon) == 0
    return 2


@searched(
    ratio=lambda d: d.pick([drawn.ratio(d), d.pick(drawn.NEAR_ONE)]),
    steps=lambda d: d.integer(1, 9),
    over=lambda d: d.integer(1, 4),
)
def steps_of_ratios(ratio: str, steps: int, over: int) -> None:
    """So many steps together tell more than the ratio."""
    count = Fraction(steps, over)
    step = step_ratio(Fraction(ratio), count)
    assert step >= 1
    assert step**count.numerator <= Fraction(ratio) ** count.denominator
    more = 1 + (step - 1) * (1 + Fraction(1, 2**50))
    assert ratio == "1" or more**count.numerator >= Fraction(ratio) ** count.denominator


@searched(numbers=many(positive), times=lambda d: d.pick([1, 2, 1000, 10**30, 10**110]))
def told_by_the_checker(numbers: Any, times: int) -> int:
    """The checker prints a bound on the wrong side, or another number than it proved."""
    two = direct.logarithm(Fraction(2))
    for text in numbers:
        value = max(Fraction(text), 1 / Fraction(text))
        true = direct.logarithm(value) / two * times
        for side in (check.UP, check.DOWN):
            said = check.amount_of(False, [(times, value, value)], side)
            bits = Fraction(said.split(" bit")[0].split()[-1].replace(",", ""))
            slack = TINY * max(Fraction(1), abs(true))
            assert bits >= true - slack if side is check.UP else bits <= true + slack
            assert abs(bits - true) <= true / 10**5 + slack
            earned = check.amount_of(True, [(1, value, value)], side)
            number = Fraction(earned.split()[-1].replace(",", ""))
            assert number >= value if side is check.UP else number <= value
    return 6 * len(numbers)


@searched(low=positive, high=positive)
def ratios_told_by_the_checker(low: str, high: str) -> None:
    """The checker names a ratio or an ε that is not the one of the certificate."""
    ends = sorted(max(Fraction(t), 1 / Fraction(t)) for t in (low, high))
    for below_, above_ in ((ends[0], ends[0]), tuple(ends)):
        said = check.ratio_of(below_, above_)
        ratio, _, epsilon = said.partition(" (ε ")
        numbers = [Fraction(w.replace(",", "")) for w in ratio.split() if w[0].isdigit()]
        if len(numbers) == 2:
            assert numbers[0] <= below_
            assert numbers[1] >= above_
        else:
            assert numbers == [below_] == [above_]
        told = [Fraction(w.replace(",", "")) for w in epsilon.rstrip(")").split() if w[0].isdigit()]
        least, most = direct.logarithm(below_), direct.logarithm(above_)
        if len(told) == 1:
            assert least - TINY <= told[0] <= most + TINY
        else:
            assert told[0] <= least + TINY
            assert told[1] >= most - TINY
