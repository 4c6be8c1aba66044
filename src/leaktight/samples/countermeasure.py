"""What a countermeasure makes of outputs that are numbers, such as times and lengths."""

from collections.abc import Sequence
from fractions import Fraction

from leaktight.errors import InvalidInput, InvalidNumber, without_data
from leaktight.exact.numbers import as_printed, fraction

FORMS = "round:1000, pad:1000 (up to a multiple), pad:to:5000 (at least that) or pad:max"


@without_data()
def changed(outputs: Sequence[str], how: str) -> list[str]:
    """Return outputs as they would be seen: rounded to a multiple, or padded.

    Padding goes up to a multiple, to a number that shorter outputs get, or to the largest output
    that was seen, which all get.

    >>> changed(["140", "150", "260"], "round:100"), changed(["140", "260"], "pad:100")
    (['100', '200', '300'], ['200', '300'])
    >>> changed(["140", "260"], "pad:to:200"), changed(["140", "260"], "pad:max")
    (['200', '260'], ['260', '260'])
    """
    kind, _, size = how.partition(":")
    to, _, least = size.partition(":")
    if kind not in ("round", "pad") or (kind == "round" and to in ("to", "max")):
        raise InvalidInput(f"a countermeasure must be {FORMS}, got {how[:60]!r}")
    numbers = {each: _number(each) for each in dict.fromkeys(outputs)}
    if size == "max":
        new = dict.fromkeys(numbers, max(numbers.values()))
    elif to == "to":
        limit = _size(least, how)
        new = {each: max(number, limit) for each, number in numbers.items()}
    else:
        step = _size(size, how)
        up = Fraction(1, 2) if kind == "round" else 0
        new = {
            each: step * ((number / step + up).__floor__() if up else -((-number) // step))
            for each, number in numbers.items()
        }
    return [str(new[each]) for each in outputs]


def _size(text: str, how: str) -> Fraction:
    try:
        if (size := fraction(as_printed(text))) > 0:
            return size
    except InvalidNumber:
        pass
    raise InvalidInput(f"a countermeasure must be {FORMS}, got {how[:60]!r}")


def _number(cell: str) -> Fraction:
    try:
        return fraction(as_printed(cell))
    except InvalidNumber:
        raise InvalidInput("outputs must be numbers to be rounded or padded") from None
