"""Is a mechanism that can only be called as private as it says, and what does it leak?

A counter adds geometric noise. Its first version has the noise for ε = 1; the second has half as
much, by mistake. Both are called on neighbouring counts, and nothing else is known of them.
"""

import math

import numpy as np
import numpy.typing as npt

from leaktight.samples.black_box import epsilon_by_calls
from leaktight.samples.independence import independence_test
from leaktight.samples.leakage import estimate_posterior_vulnerability
from leaktight.samples.observations import Observations

CALLS = 100_000


class Counter:
    """Adds the difference of two geometric numbers to a count."""

    def __init__(self, epsilon: float) -> None:
        self.p = -math.expm1(-epsilon)

    def __call__(self, count: int, calls: int, rng: np.random.Generator) -> npt.NDArray[np.int64]:
        """Return a noisy count for each call."""
        return count + rng.geometric(self.p, calls) - rng.geometric(self.p, calls)


def main() -> None:
    """Print what the calls show about ε, and about guessing which of two counts it was."""
    for name, counter in (("first version", Counter(1.0)), ("second version", Counter(2.0))):
        bound = epsilon_by_calls(counter, [(20, 21), (0, 1)], samples=CALLS, seed=1)
        print(f"{name}: {bound.verdict(epsilon=1)}")

        rng = np.random.default_rng(2)
        outputs = [counter(secret, CALLS // 2, rng) for secret in (20, 21)]
        seen = Observations(np.repeat([20, 21], CALLS // 2), np.concatenate(outputs))
        print("   ", estimate_posterior_vulnerability(seen, {20: "1/2", 21: "1/2"}, seed=3))
        print("   ", independence_test(seen, {20: "1/2", 21: "1/2"}, seed=3))


if __name__ == "__main__":
    main()
