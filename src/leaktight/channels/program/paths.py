"""All outcomes of a program, over all its random choices.

A program is run anew for each path: the choices made before are replayed, and the next one is
new. So it may be any Python code, with loops, recursion and early exits, and nothing is copied.
"""

import heapq
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from flint import fmpq

from leaktight.errors import InvalidInput, LeaktightError, TooLarge
from leaktight.exact.numbers import to_float

Options: TypeAlias = Sequence[tuple[Any, fmpq]]
"""What a choice may give, each with its probability; these are positive and sum to 1."""

Choice: TypeAlias = tuple[str, Any, Any]
"""How a choice was asked for, with which argument, and what it gave."""

Outcome: TypeAlias = tuple[tuple[Hashable, ...], Any]
"""What was observed on a path, in order, and what was returned at its end."""

Branch: TypeAlias = Callable[[str, Any, Options], Any]
"""Takes a choice that was not made before."""


class Stop(BaseException):
    """Ends a run from within. The program cannot catch it as an ``Exception``."""

    def __init__(self, error: type[LeaktightError], text: str) -> None:
        super().__init__(text)
        self.error, self.text = error, text
        self.covered = fmpq(0)
        """The probability of the paths that were followed before, in all."""


@dataclass(slots=True)
class Budget:
    """How many paths may still be followed, and how many choices there may be on each."""

    most_paths: int
    most_choices: int
    used: int = 0

    def spend(self) -> None:
        """Take one path."""
        if self.used >= self.most_paths:
            raise Stop(TooLarge, f"takes more than {self.most_paths:,} paths")
        self.used += 1


class Run:
    """One run of a program: ``path`` is replayed, then ``branch`` takes each further choice."""

    __slots__ = ("ahead", "branch", "most", "path", "stopped", "trace")

    def __init__(self, path: list[Choice], branch: Branch, most: int) -> None:
        self.path, self.branch, self.most = path, branch, most
        self.ahead = iter(path)
        self.trace: list[Hashable] = []
        self.stopped: Stop | None = None

    def choose(self, name: str, argument: Any, read: Callable[..., Options], *more: Any) -> Any:
        """Return what the choice gave before, or else one of the options that ``read`` finds."""
        if self.stopped is not None:  # the program caught it, or cleans up
            raise self.stopped
        choice = next(self.ahead, None)
        if choice is not None and choice[0] == name:
            _, given, value = choice
            if given is argument or given == argument:
                return value
        try:
            if choice is not None:
                raise _unlike(_asked(name, argument), _asked(*choice[:2]))
            if len(self.path) >= self.most:
                raise Stop(TooLarge, f"makes more than {self.most:,} choices on one path")
            value = self.branch(name, argument, read(argument, *more))
        except Stop as stop:
            self.stopped = stop
            raise
        self.path.append((name, argument, value))
        return value

    def observe(self, value: Hashable) -> None:
        """Add to what is observed on this path."""
        self.trace.append(value)


Program: TypeAlias = Callable[[Run], Any]


def every_path(program: Program, budget: Budget) -> Iterator[tuple[Outcome, fmpq]]:
    """Yield the outcome and the probability of each path, depth first.

    >>> def coins(run):
    ...     fair = [(1, fmpq(1, 2)), (0, fmpq(1, 2))]
    ...     return run.choose("coin", 1, lambda _: fair) and run.choose("coin", 2, lambda _: fair)
    >>> for (_, value), probability in every_path(coins, Budget(10, 10)):
    ...     print(value, probability)
    1 1/4
    0 1/4
    0 1/2
    """
    path: list[Choice] = []
    # For each choice on the path, the probability before it and the options not yet taken.
    left: list[tuple[fmpq, Iterator[tuple[Any, fmpq]]]] = []
    probability = fmpq(1)

    def branch(name: str, argument: Any, options: Options) -> Any:
        nonlocal probability
        rest = iter(options)
        value, share = next(rest)
        left.append((probability, rest))
        probability = probability * share
        return value

    first = None
    while True:
        budget.spend()
        outcome = _follow(program, path, branch, budget)
        first = first or (list(path), outcome)
        yield outcome, probability
        while left:
            before, rest = left[-1]
            if (option := next(rest, None)) is not None:
                name, argument, _ = path[-1]
                path[-1], probability = (name, argument, option[0]), before * option[1]
                break
            left.pop()
            path.pop()
        else:
            break
    _follow_again(program, *first, budget)


def merged(paths: Iterable[tuple[Outcome, fmpq]]) -> dict[Outcome, fmpq]:
    """Return the probability of each outcome; equal ones become one as they come."""
    found: dict[Outcome, fmpq] = {}
    try:
        for outcome, probability in paths:
            found[outcome] = found.get(outcome, 0) + probability
    except Stop as stop:
        stop.covered = sum(found.values(), fmpq(0))
        raise
    return found


Node: TypeAlias = tuple["Node | None", Choice]
"""The last choice of a path, and the choices before it."""


def likely_paths(program: Program, budget: Budget) -> Iterator[tuple[Outcome, fmpq]]:
    """Yield the outcome and the probability of paths, likeliest first, until the budget is spent.

    A path is left as soon as another is likelier; that counts as a path too. One that makes too
    many choices is dropped.
    """
    waiting: list[tuple[float, int, fmpq, Node | None]] = [(-1.0, 0, fmpq(1), None)]
    probability: fmpq
    node: Node | None
    made = 0

    def branch(name: str, argument: Any, options: Options) -> Any:
        nonlocal probability, node, made
        for value, share in options:
            made += 1  # of two that are alike, the newer goes first: it is the nearer to its end
            part = probability * share
            child = (node, (name, argument, value))
            heapq.heappush(waiting, (-to_float(part), -made, part, child))
        best = waiting[0][3]
        assert best is not None
        if best[0] is not node:
            raise Stop(TooLarge, "is likelier to take another path")
        *_, probability, node = heapq.heappop(waiting)
        return best[1][2]

    first = None
    while waiting and budget.used < budget.most_paths:
        budget.spend()
        *_, probability, node = heapq.heappop(waiting)
        path = _unrolled(node)
        try:
            outcome = _follow(program, path, branch, budget)
        except Stop as stop:
            if stop.error is TooLarge:
                continue
            raise
        first = first or (path, outcome)
        yield outcome, probability
    if first is not None:
        _follow_again(program, *first, budget)


def _unrolled(node: Node | None) -> list[Choice]:
    path = []
    while node is not None:
        node, choice = node
        path.append(choice)
    return path[::-1]


def _follow(program: Program, path: list[Choice], branch: Branch, budget: Budget) -> Outcome:
    """Run the program along ``path``, which grows by the choices that are new."""
    run = Run(path, branch, budget.most_choices)
    try:
        value = program(run)
    except Exception as error:
        error.add_note(f"after {_shown(path)}")
        raise
    if run.stopped is not None:  # the program caught it after all
        raise run.stopped
    if (choice := next(run.ahead, None)) is not None:
        raise _unlike("an end", _asked(*choice[:2]))
    check_hashable(value, "what a program returns, and the state of a loop,")
    return tuple(run.trace), value


def _follow_again(program: Program, path: list[Choice], outcome: Outcome, budget: Budget) -> None:
    """Check that nothing but the choices decides: it may all have changed in the meantime."""

    def branch(name: str, argument: Any, options: Options) -> Any:
        raise _unlike(_asked(name, argument), "an end")

    again = _follow(program, path, branch, budget)
    if again != outcome:
        raise _unlike(
            *(f"the outcome {(*trace, value)!r:.60}" for trace, value in (again, outcome))
        )


def check_hashable(value: object, what: str) -> None:
    """Refuse what cannot be compared with what was seen before."""
    try:
        hash(value)
    except TypeError:
        raise InvalidInput(f"{what} must be hashable, got {value!r:.60}; a tuple is") from None


def _unlike(found: str, before: str) -> Stop:
    return Stop(
        InvalidInput,
        "must depend on nothing but its input and chance, and return things that are equal if "
        f"they look alike; run again with the same choices, it came to {found} instead of {before}",
    )


def _asked(name: str, argument: Any) -> str:
    return f"{name}({argument!r:.60})"


def _shown(path: list[Choice]) -> str:
    if not path:
        return "no random choices"
    last = ", ".join(f"{name} → {value!r:.30}" for name, _, value in path[-8:])
    return f"the random choices {'…, ' * (len(path) > 8)}{last}"
