"""How are places read from a file? CSV: a name and its coordinates in each line."""

import csv
from collections.abc import Hashable
from pathlib import Path

from leaktight.errors import InvalidFile
from leaktight.files import expect_commas, read_path

LARGEST_FILE = 2**20
"""The most bytes of a file of places."""


def read_places(path: str | Path) -> dict[Hashable, tuple[str, ...]]:
    """Return the coordinates of each place; the first line of the file says what they are.

    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     file = Path(folder) / "cities.csv"
    ...     _ = file.write_text("city,north,east\\nLyon,45.764,4.8357\\nGraz,47.07,15.44\\n")
    ...     read_places(file)
    {'Lyon': ('45.764', '4.8357'), 'Graz': ('47.07', '15.44')}
    """
    source = read_path(path)
    try:
        if source.stat().st_size > LARGEST_FILE:
            raise InvalidFile(f"{source}: places must have at most {LARGEST_FILE:,} bytes")
        with source.open(newline="", encoding="utf-8-sig") as file:
            reader = csv.reader(file)
            lines = [(reader.line_num, line) for line in reader if line]
    except FileNotFoundError:
        raise InvalidFile(f"there is no file {source}") from None
    except (OSError, UnicodeDecodeError, csv.Error) as wrong:
        raise InvalidFile(f"{source} must be a readable CSV file: {wrong}") from None
    if lines:
        expect_commas(lines[0][1], f"{source}: ")
    if len(lines) < 2 or len(lines[0][1]) < 2:
        raise InvalidFile(
            f"{source}: the first line names the columns, such as place,latitude,longitude, and a "
            "line for each place follows"
        )
    wide, places = len(lines[0][1]), dict[Hashable, tuple[str, ...]]()
    for number, (name, *coordinates) in lines[1:]:
        if len(coordinates) + 1 != wide:
            raise InvalidFile(
                f"{source}, line {number} must have {wide} cells like line 1, "
                f"got {len(coordinates) + 1}"
            )
        if name in places:
            raise InvalidFile(f"{source}, line {number}: every place must be named once, "
                              f"got {name!r:.60} again")  # fmt: skip
        places[name] = tuple(coordinates)
    return places
