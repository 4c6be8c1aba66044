"""Makes a table of hospital patients for a month. Everybody in it is invented.

4,406 people in January, and other numbers later: some come and some go. Nobody's row is that of a
real person; the shares of ages, diagnoses and lengths of stay are plausible and no more.

    python examples/year/patients.py 2026-03 patients.csv
"""

import csv
import sys
from functools import cache

import numpy as np

JANUARY, COMING, GOING = 4_406, 260, 250
DIAGNOSES = ["heart", "lung", "injury", "cancer", "other", "unclear"]
OFTEN = [0.27, 0.16, 0.22, 0.12, 0.2295, 0.0005]
LONG = [3.4, 2.8, 1.6, 4.5, 2.1, 2.0]
REGIONS = ["north", "east", "south", "west"]
HEAD = ("patient", "sex", "age", "region", "diagnosis", "stay")


@cache
def person(number: int) -> tuple[int, str, int, str, str, int]:
    """Return the row of one person, who is the same in every month."""
    dice = np.random.default_rng([2026, number])
    sex = "female" if dice.random() < 0.52 else "male"
    age = int(np.clip(dice.normal(56, 21), 0, 99))
    region = REGIONS[dice.choice(4, p=[0.2, 0.3, 0.35, 0.15])]
    which = int(dice.choice(6, p=OFTEN))
    return number, sex, age, region, DIAGNOSES[which], int(dice.poisson(LONG[which]))


def patients(month: int) -> list[tuple[int, str, int, str, str, int]]:
    """Return the rows of a month, 1 for January: the first have gone, and others have come."""
    return [person(n) for n in range(GOING * (month - 1), JANUARY + COMING * (month - 1))]


def write(month: int, path: str) -> None:
    """Write the table of a month."""
    with open(path, "w", newline="", encoding="utf-8") as file:
        table = csv.writer(file)
        table.writerow(HEAD)
        table.writerows(patients(month))


if __name__ == "__main__":
    write(int(sys.argv[1].rpartition("-")[2]), sys.argv[2])
