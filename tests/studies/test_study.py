"""Studies are read as they are meant, and every mistake in one is named in a line."""

import json
import re
import tomllib
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path

import jsonschema
import pytest

from leaktight import LeaktightError
from leaktight.channels import Channel
from leaktight.errors import InvalidFile
from leaktight.policies.secrets import CHANGE, FIXED
from leaktight.studies.keys import documented, keys_of, sections, study_schema
from leaktight.studies.reading import read_study
from leaktight.studies.study import SCOPES, Study
from leaktight.tables.calibration import NOISES
from leaktight.tables.reading import KEEP

POLICY = '[policy]\nvalues = ["a", "b", "c"]\n'
RESPONSE = '[mechanism]\nkind = "randomised response"\n'
ASKED = "[question]\nratio = 2\n"
MATRIX = '[mechanism]\nkind = "matrix"\n'
COUNTED = POLICY + 'records = 9\n[mechanism]\nkind = "{}"\nquery = "count"\nof = ["a"]\n'
GEOMETRIC = '[mechanism]\nkind = "geometric"\n'

MISTAKES: dict[str, tuple[str, str]] = {
    "nothing": ("", r"\[policy\] is missing"),
    "a word": ("hello\n", "is not TOML.*line 1"),
    "a table twice": (POLICY + POLICY, "is not TOML"),
    "a key twice": ("[policy]\nvalues = 2\nvalues = 3", "is not TOML"),
    "an unknown table": (POLICY + "[polcy]\n", "polcy is no key of a study; did you mean policy"),
    "an unknown key": (POLICY + "recrods = 3", r"\[policy\] recrods .* did you mean records"),
    "a key like no other": (POLICY + "zzz = 3", r"\[policy\] zzz .* known: values, secrets"),
    "an unknown constraint": (
        POLICY + 'constraints = [{ values = ["a"], equal = 1 }]',
        r"\[policy.constraints\] equal .* did you mean equals",
    ),
    "policy is a number": ("policy = 3", "policy must be a table"),
    "data is a number": ("data = 3\n" + POLICY, "data must be a table"),
    "release is a list": ("release = [1]\n" + POLICY, "release must be a table"),
    "a key of data is none": (POLICY + "[data]\nsorce = 'a.csv'\n", "did you mean source?"),
    "question is a list": ("question = [1]\n" + POLICY, "question must be a table"),
    "title is a number": ("title = 3\n" + POLICY, "title must be text in quotes, got 3"),
    "title is empty": ("title = ' '\n" + POLICY, "title must be text"),
    "title of two lines": ('title = "a\\nb"\n' + POLICY, "title must be one line of text"),
    "a terminal's code": (
        '[policy]\nvalues = ["\\u001b[2J"]',
        r"\[policy\] values must be one line",
    ),
    "a key of two lines": (POLICY + '"a\\nb" = 3', r"a.nb is no key of a study"),
    "no values": ("[policy]\nrecords = 2", "needs values"),
    "values is a text": ('[policy]\nvalues = "abc"', r"\[policy\] values must be a list.*'abc'"),
    "values is true": ("[policy]\nvalues = true", r"\[policy\] values must be a list.*true"),
    "values is empty": ("[policy]\nvalues = []", r"\[policy\] values: .*at least one"),
    "values is 0": ("[policy]\nvalues = 0", r"\[policy\] values: "),
    "values is a billion": ("[policy]\nvalues = 1_000_000_000", "at most 2,000 values"),
    "a value twice": ('[policy]\nvalues = ["a", "a"]', r"\[policy\] values: .*twice"),
    "values that read alike": ('[policy]\nvalues = [1, "1"]', "must read differently, got '1'"),
    "a value is a table": ("[policy]\nvalues = [{ a = 1 }]", "values must be texts or numbers"),
    "a value is nan": ("[policy]\nvalues = [nan]", "finite number, got NaN"),
    "a value is inf": ("[policy]\nvalues = [inf]", "finite number, got Infinity"),
    "unknown secrets": (
        POLICY + 'secrets = "treshold"',
        r"\[policy\] secrets cannot be 'treshold'; did you mean 'threshold'",
    ),
    "secrets is a list": (POLICY + "secrets = []", r"\[policy\] secrets cannot be"),
    "a distance for a line": (POLICY + 'secrets = "line"\ndistance = 1', "distance is for"),
    "a threshold without": (POLICY + 'secrets = "threshold"', "needs distance"),
    "a distance of -1": (POLICY + 'secrets = "threshold"\ndistance = -1', r"distance: .*got -1"),
    "a distance in words": (POLICY + 'secrets = "threshold"\ndistance = "x"', r"distance: "),
    "a distance that is true": (
        POLICY + 'secrets = "threshold"\ndistance = true',
        "must be a number, got true",
    ),
    "a cycle of two": ('[policy]\nsecrets = "cycle"\nvalues = 2', r"secrets: a cycle needs"),
    "edges without any": (POLICY + 'secrets = "edges"', "needs edges"),
    "an edge to nowhere": (
        POLICY + 'secrets = "edges"\nedges = [["a", "d"]]',
        r"\[policy\] edges: .*'d'",
    ),
    "an edge of three": (POLICY + 'secrets = "edges"\nedges = [["a", "b", "c"]]', "pairs of"),
    "an edge is a text": (POLICY + 'secrets = "edges"\nedges = ["ab"]', "must be pairs"),
    "edges is a text": (POLICY + 'secrets = "edges"\nedges = "ab"', "edges must be a list"),
    "a loop": (POLICY + 'secrets = "edges"\nedges = [["a", "a"]]', r"\[policy\] edges: "),
    "a grid without sides": ('[policy]\nsecrets = "grid"', "needs sides"),
    "a grid of no sides": ('[policy]\nsecrets = "grid"\nsides = []', "sides: "),
    "a side of 0": ('[policy]\nsecrets = "grid"\nsides = [3, 0]', "sides: "),
    "a side in words": ('[policy]\nsecrets = "grid"\nsides = [3, "x"]', "sides must be a list, or"),
    "a huge grid": ('[policy]\nsecrets = "grid"\nsides = [1000, 1000]', "10,000 values.*1,000,000"),
    "a grid with values": (POLICY + 'secrets = "grid"\nsides = [2]', "values follow from sides"),
    "groups of text": ('[policy]\nsecrets = "partition"\ngroups = ["ab"]', r"groups must be lists"),
    "no groups": ('[policy]\nsecrets = "partition"\ngroups = []', r"groups: "),
    "a value in two groups": ('[policy]\nsecrets = "partition"\ngroups = [["a"], ["a"]]', "groups"),
    "absent is a number": (POLICY + "absent = 3", r"\[policy\] absent must be text"),
    "people do something else": (POLICY + 'people = "often"', r"\[policy\] people cannot be"),
    "people change along secret pairs": (
        POLICY + 'secrets = "line"\npeople = "change"',
        r"\[policy\] secrets does not go with people",
    ),
    "people are fixed and absent": (
        POLICY + 'people = "fixed"\nabsent = "gone"',
        r"\[policy\] absent does not go with people",
    ),
    "absent is a value": (POLICY + 'absent = "a"', r"\[policy\] absent: .*'a' twice"),
    "no records": (POLICY + "records = 0", r"\[policy\] records must be a whole number from 1"),
    "-1 records": (POLICY + "records = -1", r"\[policy\] records must .* got -1"),
    "true records": (POLICY + "records = true", r"\[policy\] records must .* got true"),
    "half a record": (POLICY + "records = 1.5", r"\[policy\] records must .* got 1.5"),
    "10^12 records": (POLICY + "records = 1_000_000_000_000", "to 1,000,000,000, got 10000"),
    "margins of no attributes": (POLICY + "margins.sex = { f = 1 }", "margins are of attributes"),
    "margins without numbers": (
        'policy.attributes.sex = ["f", "m"]\npolicy.margins = [3]',
        "margins must be tables",
    ),
    "a margin of an unknown attribute": (
        'policy.attributes.sex = ["f", "m"]\npolicy.margins.sexes = { f = 1 }',
        "did you mean 'sex'",
    ),
    "a margin of an unknown category": (
        'policy.attributes.sex = ["f", "m"]\npolicy.margins.sex = { x = 1 }',
        "got .'x'",
    ),
    "a margin that is a number": (
        'policy.attributes.sex = ["f", "m"]\npolicy.margins.sex = 3',
        "how many records",
    ),
    "a margin of too many": (
        'policy.attributes.sex = ["f", "m"]\npolicy.records = 5\n'
        "policy.margins.sex = { f = 3, m = 3 }",
        "must add up to the 5 records, got 6",
    ),
    "a constraint in words": (POLICY + 'constraints = ["a"]', "constraints must be tables"),
    "constraints is a text": (POLICY + 'constraints = "a"', "constraints must be a list"),
    "a constraint on nothing": (POLICY + "constraints = [{ equals = 1 }]", "needs values"),
    "a constraint of nothing": (
        POLICY + 'constraints = [{ values = ["a"] }]',
        r"\[policy.constraints\]: a count needs",
    ),
    "a constraint that is true": (
        POLICY + 'constraints = [{ values = ["a"], equals = true }]',
        r"\[policy.constraints\] equals must be a whole number, got true",
    ),
    "at least in words": (
        POLICY + 'constraints = [{ values = ["a"], at_least = "x" }]',
        r"\[policy.constraints\] at_least must be a whole number, got 'x'",
    ),
    "at most -1": (
        POLICY + 'constraints = [{ values = ["a"], at_most = -1 }]',
        r"\[policy.constraints\]: .*got -1",
    ),
    "a constraint on an unknown": (
        POLICY + 'constraints = [{ values = ["d"], equals = 1 }]',
        r"\[policy\] constraints: .*'d'",
    ),
    "constraints that cannot hold": (
        POLICY
        + 'records = 2\nconstraints = [{ values = ["a"], equals = 2 }, '
        + '{ values = ["b"], equals = 1 }]',
        r"\[policy\] constraints: some database must be possible",
    ),
    "more than there are": (
        POLICY + 'records = 2\nconstraints = [{ values = ["a"], equals = 3 }]',
        r"\[policy\] constraints: .*more than",
    ),
    "no databases": (POLICY + "databases = []", r"\[policy\] databases: some"),
    "a database of three": (POLICY + 'records = 2\ndatabases = [["a", "b", "c"]]', "databases: "),
    "an unknown database": (POLICY + 'databases = ["d"]', r"\[policy\] databases: .*'d'"),
    "databases and constraints": (
        POLICY + 'databases = ["a"]\nconstraints = [{ values = ["a"], equals = 1 }]',
        r"\[policy\] databases lists all",
    ),
    "a mechanism of no kind": (POLICY + "[mechanism]\n", r"\[mechanism\] needs kind"),
    "a sensitive value that is none": (
        POLICY + '[question]\nsensitive = ["z"]',
        r"\[question\] sensitive.*there is no value 'z'",
    ),
    "no list of sensitive values": (
        POLICY + "[question]\nsensitive = 3",
        r"\[question\] sensitive must be a list",
    ),
    "an unknown kind": (
        POLICY + '[mechanism]\nkind = "randomised respons"',
        "did you mean 'randomised response'",
    ),
    "no ratio": (POLICY + RESPONSE, r"\[mechanism\] needs epsilon or ratio"),
    "ratio and epsilon": (
        POLICY + ASKED + "epsilon = 1",
        "epsilon: .* got ratio and epsilon",
    ),
    "epsilon below 0": (POLICY + "[question]\nepsilon = -1", r"\[question\] epsilon: .*got -1"),
    "epsilon in words": (POLICY + '[question]\nepsilon = "abc"', "epsilon: expected a number"),
    "epsilon is nan": (POLICY + "[question]\nepsilon = nan", "epsilon must be a finite number"),
    "epsilon is a list": (
        POLICY + "[question]\nepsilon = [1]",
        r"epsilon must be a number, got \[1\]",
    ),
    "epsilon is a date": (
        POLICY + "[question]\nepsilon = 2020-01-01",
        "epsilon must be .*2020-01-01",
    ),
    "ratio is inf": (POLICY + "[question]\nratio = inf", "ratio must be a finite number"),
    "ratio below 1": (POLICY + "[question]\nratio = 0.5", r"\[question\] ratio: .*at least 1"),
    "ratio is true": (
        POLICY + "[question]\nratio = true",
        r"\[question\] ratio must be a number, got true",
    ),
    "delta alone": (
        POLICY + "[question]\ndelta = 0.1",
        "delta: .* got delta$",
    ),
    "delta above 1": (
        POLICY + "[question]\nepsilon = 1\ndelta = 2",
        "delta: δ must be from 0 to 1",
    ),
    "rho below 0": (POLICY + "[question]\nrho = -1", "rho: ρ must be at least 0, got -1"),
    "mu in words": (POLICY + '[question]\nmu = "much"', "mu: expected a number"),
    "mu and rho": (
        POLICY + "[question]\nmu = 1\nrho = 1",
        "mu: .* got rho and mu",
    ),
    "epsilon and mu": (POLICY + "[question]\nmu = 1\nepsilon = 1", "mu: give one promise"),
    "a curve of one": (POLICY + "[question]\ncurve = [1]", "curve must be pairs of numbers, got 1"),
    "a curve in words": (POLICY + '[question]\ncurve = [["a", 1]]', "curve: expected a number"),
    "a curve of distances": (
        '[policy]\nmetric = "euclidean"\npoints = [[0, 0], [3, 4]]\n[question]\nmu = 1',
        "with distances pure ε alone is proved",
    ),
    "a huge ratio": (POLICY + '[question]\nratio = "1e1000000"', r"ratio: .*at most 4,096 bits"),
    "a huge epsilon": (POLICY + "[question]\nepsilon = 1_000_000", "epsilon: .*at most 4,096 bits"),
    "a number of 5000 digits": (POLICY + f"records = {'9' * 5000}", "at most 4,000 digits"),
    "a number of 4200 digits": (POLICY + f"records = {'9' * 4200}", "records may have at most"),
    "a hexadecimal giant": (POLICY + f"records = 0x{'f' * 9000}", "records may have at most"),
    "a huge exponent": (POLICY + "records = 1e99999", r"\[policy\] records must be a whole number"),
    "an absurd exponent": (POLICY + "records = 1e99999999999999999999999", "a number is too large"),
    "a prior that sums to less": (
        POLICY + '[question]\nprior = ["1/2", "1/4", "1/8"]',
        r"\[question\] prior: .*sum to 1, got 7/8",
    ),
    "a prior of two": (POLICY + '[question]\nprior = ["1/2", "1/2"]', "prior: .*got 2 for 3"),
    "a prior with a typo": (POLICY + "[question.prior]\nd = 1", r"\[question\] prior: .*'d'"),
    "a prior below 0": (POLICY + "[question]\nprior = [2, -1, 0]", r"prior: .*got -1"),
    "a prior in words": (POLICY + '[question]\nprior = "flat"', 'must be "uniform", a list'),
    "a prior that is true": (
        POLICY + "[question]\nprior = [true, false, false]",
        "prior must be numbers, got true",
    ),
    "a prior that is a number": (
        POLICY + "[question]\nprior = 1",
        "prior must be .*a list or a table",
    ),
    "an unknown gain": (POLICY + '[question]\ngain = "distnace"', "did you mean 'distance'"),
    "a difference of texts": (POLICY + '[question]\ngain = "difference"', "gain: .*numbers, got"),
    "a distance of parts": (
        '[policy]\nsecrets = "partition"\ngroups = [["a"], ["b"]]\n[question]\ngain = "distance"',
        "gain: the distance between 'a' and 'b' is infinite, in different components",
    ),
    "no observations": (POLICY + "[question]\nobservations = 0", "observations must be a whole"),
    "a billion observations": (
        POLICY + "[question]\nobservations = 1_000_000_000",
        "observations must be .* to 1,000,000",
    ),
    "observations in words": (POLICY + '[question]\nobservations = "3"', "observations must be"),
    "below 0": (POLICY + "[question]\nbelow = 0", "below must be a chance above 0"),
    "below above 1": (POLICY + "[question]\nbelow = 1.5", "below must be .*got 1.5"),
    "below in words": (POLICY + '[question]\nbelow = "abc"', "below: expected a number"),
    "below is true": (POLICY + "[question]\nbelow = true", "below must be a number, got true"),
    "what is a number": (POLICY + "[question]\nwhat = 3", "what must be text in quotes, got 3"),
    "a matrix without rows": (POLICY + MATRIX, r"\[mechanism\] needs rows"),
    "rows is a text": (POLICY + MATRIX + 'rows = "abc"', r"\[mechanism\] rows must be a list"),
    "a row below 1": (
        POLICY + MATRIX + 'rows = [[1, 0], [1, 0], ["1/2", "1/3"]]',
        r"\[mechanism\] rows: row 'c' .* must sum to 1, got 5/6",
    ),
    "rows of true": (
        POLICY + MATRIX + "rows = [[true], [true], [true]]",
        "rows must be numbers, got true",
    ),
    "rows of numbers": (
        POLICY + MATRIX + "rows = [1, 1, 1]",
        "rows must be rows of numbers, got 1",
    ),
    "ragged rows": (POLICY + MATRIX + "rows = [[1], [1], [1, 0]]", "rows: .*must have 1 "),
    "two rows for three": (POLICY + MATRIX + "rows = [[1], [1]]", "rows: .*got 3 for 2"),
    "a row of another": (
        POLICY + MATRIX + "[mechanism.rows]\na = [1]\nb = [1]\nd = [1]",
        "rows: .*'c' is only in one; the inputs must be 'a', 'b', 'c'",
    ),
    "outputs that do not fit": (
        POLICY + MATRIX + 'rows = [[1], [1], [1]]\noutputs = ["x", "y"]',
        "rows: .*each output, got 2 for 1",
    ),
    "outputs is a text": (
        POLICY + MATRIX + 'rows = [[1], [1], [1]]\noutputs = "x"',
        "outputs must",
    ),
    "rows for a response": (POLICY + RESPONSE + "rows = [[1]]\n" + ASKED, "rows is for kind"),
    "a ratio for a matrix": (
        POLICY + MATRIX + "rows = [[1], [1], [1]]\nratio = 2",
        r"\[mechanism\] ratio is for kind",
    ),
    "sensitivity for a response": (POLICY + RESPONSE + "sensitivity = 2\n" + ASKED, "is for kind"),
    "rounding without a base": (COUNTED.format("rounding"), "needs base"),
    "a base of nothing": (COUNTED.format("rounding") + "base = 0\n", "base must be a whole number"),
    "a base of noise": (COUNTED.format("geometric") + "base = 5\n", "base is for kind"),
    "perhaps random": (
        COUNTED.format("rounding") + 'base = 5\nrandom = "yes"\n',
        "random must be true or false",
    ),
    "suppression of nothing": (COUNTED.format("suppression"), "needs at_most"),
    "suppression of a text": (
        COUNTED.format("suppression") + 'at_most = "few"\n',
        "at_most must be a whole number",
    ),
    "zero is shown or not": (
        COUNTED.format("suppression") + "at_most = 3\nzero_shown = 7\n",
        "zero_shown must be true or false",
    ),
    "no table of keys": (COUNTED.format("cell key"), "needs ptable"),
    "a ptable of numbers": (
        COUNTED.format("cell key") + "ptable = [1]\n",
        "ptable must be tables, got 1",
    ),
    "a ptable of words": (
        COUNTED.format("cell key") + "ptable = [{ none = 1 }]\n",
        "has whole numbers as keys",
    ),
    "a ptable of a half": (
        COUNTED.format("cell key") + 'ptable = [{ "0" = 0.5 }]\n',
        "must have chances that sum to 1, got 1/2",
    ),
    "the most of nothing": (COUNTED.format("top-coding") + "most = []\n", "most must be a whole"),
    "no share": (POLICY + '[mechanism]\nkind = "swapping"\n', "needs share"),
    "a large share": (POLICY + '[mechanism]\nkind = "swapping"\nshare = 2\n', "between 0 and 1"),
    "rounding of values": (
        POLICY + '[mechanism]\nkind = "rounding"\nbase = 5\n',
        "is for counts; say query",
    ),
    "no sensitivity": (
        POLICY + '[mechanism]\nkind = "truncated geometric"\nsensitivity = 0\n' + ASKED,
        "sensitivity must be a whole number",
    ),
    "rho for a response": (POLICY + RESPONSE + "rho = 1\n" + ASKED, 'is for kind = "discrete'),
    "no rho": (
        POLICY + '[mechanism]\nkind = "discrete gaussian"\n' + ASKED,
        r"\[mechanism\] needs rho or variance for kind",
    ),
    "rho is no number": (
        POLICY + '[mechanism]\nkind = "discrete gaussian"\nrho = "much"\n' + ASKED,
        r"\[mechanism\] rho: ",
    ),
    "no variance": (
        POLICY + '[mechanism]\nkind = "discrete gaussian"\nvariance = 0\n' + ASKED,
        "variance must be above 0",
    ),
    "a plane without a grid": (
        POLICY + '[mechanism]\nkind = "planar laplace"\n' + ASKED,
        'kind "planar laplace" needs secrets = "grid"',
    ),
    "an unknown metric": (
        "[policy]\nmetric = 'euclidian'",
        "metric cannot be 'euclidian'; did you mean 'euclidean'",
    ),
    "points of no metric": (POLICY + "points = [[0, 1]]", "points is for a metric"),
    "a distance that is negative": (
        "[policy]\nmetric = 'matrix'\ndistances = [[0, -1], [-1, 0]]",
        r"\[policy\] distances: a distance must be at least 0, got -1",
    ),
    "a unit of nothing": (POLICY + "unit = 'km'", "unit is for a metric"),
    "a file that is not there": (
        POLICY + '[mechanism]\nkind = "file"\nfile = "no.csv"',
        r"\[mechanism\] file: there is no file .*no.csv",
    ),
    "a file that is a folder": (
        POLICY + '[mechanism]\nkind = "file"\nfile = "folder.csv"',
        r"\[mechanism\] file: .*folder.csv",
    ),
    "a file that is no CSV": (
        POLICY + '[mechanism]\nkind = "file"\nfile = "junk.csv"',
        r"\[mechanism\] file: .*junk.csv must be a readable text file",
    ),
    "a file of another name": (
        POLICY + '[mechanism]\nkind = "file"\nfile = "study.toml"',
        "must end in .csv or .json",
    ),
    "a file of other inputs": (
        POLICY + '[mechanism]\nkind = "file"\nfile = "coin.csv"',
        r"\[mechanism\] file: .*'a' is only in one; the inputs must be 'a', 'b', 'c'",
    ),
    "a file with a NUL": (
        POLICY + '[mechanism]\nkind = "file"\nfile = "a\\u0000.csv"',
        "file must be one line of text",
    ),
    "an unknown scope": (POLICY + RESPONSE + 'on = "recrod"\n' + ASKED, "did you mean 'record'"),
    "an answer to nothing": (POLICY + RESPONSE + 'on = "answer"\n' + ASKED, "needs query"),
    "an unknown query": (POLICY + RESPONSE + 'query = "cuont"\n' + ASKED, "did you mean 'count'"),
    "a count of nothing": (POLICY + RESPONSE + 'query = "count"\n' + ASKED, "of must name"),
    "a count of an unknown": (
        POLICY + RESPONSE + 'query = "count"\nof = ["d"]\n' + ASKED,
        r"\[mechanism\] of must name values of the policy, got 'd'",
    ),
    "a sum of something": (POLICY + RESPONSE + 'query = "sum"\nof = ["a"]\n' + ASKED, "of is for"),
    "a cell twice": (
        POLICY + GEOMETRIC + 'query = "histogram"\nof = ["a", "a"]\n' + ASKED,
        r"\[mechanism\] of: each cell of a histogram must be a value of its own",
    ),
    "answers of a record": (POLICY + ASKED + "answers = [1, 0, 0]", 'answers is for on = "answer"'),
    "answers that are none": (
        POLICY + RESPONSE + 'query = "most common"\n' + ASKED + "answers = { d = 1 }",
        r"\[question\] answers: .*'d'",
    ),
    "no attributes": ("[policy]\nattributes = {}", "attributes must be a table of attributes"),
    "attributes is a list": ("[policy]\nattributes = [1]", "attributes must be a table"),
    "attributes and values": (
        POLICY + "attributes = { sex = ['f', 'm'] }",
        r"\[policy\] values belongs to one attribute",
    ),
    "an attribute without values": (
        '[policy]\nattributes = { sex = { secrets = "line" } }',
        r"\[policy.attributes.sex\] needs values",
    ),
    "an attribute with a typo": (
        "[policy]\nattributes = { sex = { vlaues = 2 } }",
        r"\[policy.attributes.sex\] vlaues .* did you mean values",
    ),
    "attributes without end": (
        "[policy.attributes]\na = { values = 900 }\nb = { values = 900 }",
        "at most 10,000 values here, got 810,000",
    ),
    "attributes that differ": (
        "[policy]\ndiffer = 'two'\nattributes = { a = { values = 2 } }",
        "differ cannot be 'two'; known: one, all",
    ),
    "values that differ": (POLICY + "differ = 'all'", "differ is for attributes"),
    "noise on whole numbers without any": (
        POLICY + GEOMETRIC + 'query = "most common"\n' + ASKED,
        "noise on whole numbers needs answers that are, got 'a'",
    ),
    "noise on texts": (POLICY + GEOMETRIC + ASKED, "noise on whole numbers needs"),
    "a sum of texts": (POLICY + RESPONSE + 'query = "sum"\n' + ASKED, "query = .sum. needs values"),
    "a query on records": (
        POLICY + RESPONSE + 'on = "record"\nquery = "sum"\n' + ASKED,
        'query is for on = "answer"',
    ),
    "all databases of a crowd": (
        POLICY + "records = 100\n" + RESPONSE + 'on = "database"\n' + ASKED,
        r"\[policy\] records: .*10\^48",
    ),
    "all answers of a crowd": (
        "[policy]\nvalues = 3\nrecords = 1000\n" + RESPONSE + 'query = "sum"\n' + ASKED,
        r"\[mechanism\] query: .*at most 1,000 answers is listed, got 2,001",
    ),
    "too many inputs": (
        '[policy]\nvalues = 5000\nsecrets = "line"\n' + RESPONSE + ASKED,
        r"\[mechanism\] kind: .*at most 1,000 inputs, got 5,000",
    ),
    "nested lists": (POLICY + "constraints = " + "[" * 100_000, "nested too deeply"),
    "nested tables": ("[" + "a." * 100_000 + "a]", "nested too deeply"),
    "code that is not allowed": (
        POLICY + '[mechanism]\nkind = "python"\nfunction = "good:seen"',
        "function: 'good:seen' is Python code; .*--allow-code",
    ),
}

CODE: dict[str, tuple[str, str]] = {
    "a missing module": ("missing:seen", "must be module:function of a file in"),
    "a module elsewhere": ("../good:seen", "must be module:function of a file in"),
    "no function": ("good", "must be module:function"),
    "a missing function": ("good:sene", "no function 'sene'; did you mean 'seen'?"),
    "a module that raises": ("raising:seen", "cannot be loaded: ZeroDivisionError"),
    "a module that leaves": ("leaving:seen", "cannot be loaded: SystemExit: 7"),
    "a module that is no Python": ("junk:seen", "cannot be loaded: "),
    "a function that raises": ("good:wrong", "'good:wrong' raised KeyError: 'c'"),
    "a function that leaves": ("good:leave", "raised SystemExit"),
    "a function of too much": ("good:three", r"function: "),
    "no function at all": ("good:number", r"function: "),
}


@pytest.fixture
def write(tmp_path: Path) -> Callable[[str], Path]:
    """Write a study, beside files that it may name."""
    (tmp_path / "folder.csv").mkdir()
    (tmp_path / "junk.csv").write_bytes(bytes(range(128, 256)))
    (tmp_path / "coin.csv").write_text("answer,-,+\nno,2/3,1/3\nyes,1/3,2/3\n")
    (tmp_path / "mirror.csv").write_text("answer,-,+\n1,2/3,1/3\n0,1/3,2/3\n")
    (tmp_path / "raising.py").write_text("1 / 0")
    (tmp_path / "leaving.py").write_text("raise SystemExit(7)")
    (tmp_path / "junk.py").write_text("= = =")
    (tmp_path / "good.py").write_text(
        "print('hello')\n"
        "number = 3\n"
        "def seen(x, chance):\n    print(x)\n    return x if chance.flip('1/3') else 'a'\n"
        "def wrong(x, chance):\n    return {'a': 1, 'b': 2}[x]\n"
        "def leave(x, chance):\n    raise SystemExit\n"
        "def three(x, chance, more):\n    return x\n"
    )

    def written(text: str) -> Path:
        path = tmp_path / "study.toml"
        path.write_text(text, encoding="utf-8")
        return path

    return written


def refused(path: Path, message: str, *, allow_code: bool = False) -> None:
    with pytest.raises(LeaktightError) as caught:
        read_study(path, allow_code=allow_code)
    told = str(caught.value)
    assert re.search(message, told), told
    assert str(path) in told
    assert "\n" not in told
    assert len(told) < 500


@pytest.mark.parametrize("mistake", MISTAKES)
def test_a_mistake_is_named_with_its_key(mistake: str, write: Callable[[str], Path]) -> None:
    text, message = MISTAKES[mistake]
    refused(write(text), message)


@pytest.mark.parametrize("mistake", CODE)
def test_code_that_fails_is_named(mistake: str, write: Callable[[str], Path]) -> None:
    function, message = CODE[mistake]
    text = f'[mechanism]\nkind = "python"\nfunction = "{function}"'
    refused(write(POLICY + text), message, allow_code=True)


def test_what_is_no_text_file_is_refused(tmp_path: Path, write: Callable[[str], Path]) -> None:
    refused(tmp_path / "no.toml", "there is no file .*no.toml; a study is a TOML file")
    refused(tmp_path, "is a folder; a study is a TOML file")
    refused(tmp_path / "junk.csv", "is not text in UTF-8; a study is a TOML file")
    large = tmp_path / "large.toml"
    with large.open("wb") as file:
        file.truncate(50_000_000)
    refused(large, "a study must have at most 1,048,576 bytes")
    refused(write("[" * 1_000_000), "nested too deeply|is not TOML")
    refused(Path("/dev/null"), "is a device")
    refused(write("x").with_name("study.toml") / "more.toml", "cannot be read: Not a directory")


def test_words_are_read_in_both_spellings(write: Callable[[str], Path]) -> None:
    policy = '[policy]\nvalues = ["no", "yes"]\n\n[mechanism]\nepsilon = 1\nkind = '
    british, american = (
        read_study(write(f'{policy}"{kind} response"\n')) for kind in ("randomised", "randomized")
    )
    assert british.name == american.name
    assert british.channel == american.channel


def test_every_key_has_a_mistake_of_its_own() -> None:
    """Nothing that a user can write is left without a check of its type."""
    tried = " ".join(text for text, _ in [*MISTAKES.values(), ("function = ", "")])
    for name in sections():
        for key in keys_of(name) if name.partition(".")[0] not in ("data", "release") else ():
            assert re.search(rf"\b{key}\b", tried), key


@pytest.mark.parametrize(
    ("written", "edges", "absent"),
    [
        ('values = ["a", "b"]\npeople = "change"', 2, "absent"),
        ('values = ["a", "b"]\npeople = "change"\nabsent = "gone"', 2, "gone"),
        ('values = ["a", "b"]\npeople = "fixed"', 1, None),
        (
            'attributes = { sex = ["f", "m"], ill = ["a", "b", "c"] }\npeople = "change"',
            6,
            "absent",
        ),
    ],
)
def test_people_who_change_are_added_and_removed(
    tmp_path: Path, written: str, edges: int, absent: str | None
) -> None:
    (tmp_path / "s.toml").write_text(f"[policy]\n{written}\n")
    study = read_study(tmp_path / "s.toml")
    assert (study.policy.secrets.size, study.absent) == (edges, absent)


@pytest.mark.parametrize(
    ("kind", "keys", "shown"),
    [
        ("rounding", "base = 5", {0: {0: 1}, 8: {10: 1}}),
        ("rounding", "base = 3\nrandom = true", {4: {3: Fraction(2, 3), 6: Fraction(1, 3)}}),
        ("suppression", "at_most = 7\nbase = 5", {7: {"suppressed": 1}, 8: {10: 1}}),
        ("suppression", "at_most = 3\nzero_shown = true", {0: {0: 1}, 3: {"suppressed": 1}}),
        (
            "cell key",
            'ptable = [{ "0" = 1 }, { "-1" = 0.5, "1" = "1/2" }]',
            {0: {0: 1}, 9: {8: Fraction(1, 2), 10: Fraction(1, 2)}},
        ),
        ("top-coding", "most = 4", {3: {3: 1}, 9: {4: 1}}),
    ],
)
def test_disclosure_control_is_read_as_it_is_meant(
    write: Callable[[str], Path], kind: str, keys: str, shown: dict[int, dict[object, object]]
) -> None:
    study = read_study(write(COUNTED.format(kind) + keys + "\n"))
    channel = study.channel
    assert channel is not None
    for count, row in shown.items():
        seen = channel.row(count)
        found = zip(seen.values, seen.array, strict=True)
        assert {z: Fraction(str(p)) for z, p in found if p} == row


def test_swapping_keeps_the_margin_of_the_question(write: Callable[[str], Path]) -> None:
    swapped = '[mechanism]\nkind = "swapping"\nshare = "1/2"\n[question]\nprior = [0.5, 0.5, 0]\n'
    channel = read_study(write(POLICY + swapped)).mechanism
    assert isinstance(channel, Channel)
    last = [Fraction(str(p)) for p in channel.matrix[2]]
    assert last == [Fraction(1, 4), Fraction(1, 4), Fraction(1, 2)]


# --- what is read is what is meant ---------------------------------------------------------


def read(write: Callable[[str], Path], text: str, *, allow_code: bool = False) -> Study:
    return read_study(write(text), allow_code=allow_code)


def test_a_policy_alone_is_a_study(write: Callable[[str], Path]) -> None:
    study = read(write, POLICY)
    assert (study.title, study.scope, study.mechanism, study.channel) == (
        "study", "database", None, None,
    )  # fmt: skip
    assert (study.ratio, study.observations, study.what) == (None, 10, "one record's value")
    assert study.policy.secrets.size == 3
    assert set(study.prior.items()) == {(v, Fraction(1, 3)) for v in "abc"}


@pytest.mark.parametrize(
    ("text", "order", "size"),
    [
        ('values = 5\nsecrets = "line"', 5, 4),
        ('values = 5\nsecrets = "cycle"', 5, 5),
        ('values = [1, 2.5, 3.0]\nsecrets = "threshold"\ndistance = 0.5', 3, 1),
        ('values = ["x", "y", "z"]\nsecrets = "threshold"\ndistance = 1', 3, 2),
        ('secrets = "partition"\ngroups = [["a", "b"], [1, 2, 3]]', 5, 4),
        ('secrets = "grid"\nsides = [2, ["n", "s", "t"]]', 6, 7),
        ('values = ["a", "b"]\nsecrets = "edges"\nedges = [["a", "b"]]', 2, 1),
        ('values = [[0, 0], [0, 1]]\nsecrets = "edges"\nedges = [[[0, 0], [0, 1]]]', 2, 1),
        ('values = ["a", "b"]\nabsent = "gone"', 3, 3),
        ("values = [true, false]", 2, 1),
        ("values = [2020-01-01, 2021-01-01]", 2, 1),
    ],
)
def test_each_kind_of_secrets_is_read(
    write: Callable[[str], Path], text: str, order: int, size: int
) -> None:
    secrets = read(write, f"[policy]\n{text}").policy.secrets
    assert (secrets.order, secrets.size) == (order, size)


def test_whole_floats_are_whole_numbers(write: Callable[[str], Path]) -> None:
    values = read(write, "[policy]\nvalues = [1.0, 2.5]").policy.secrets.vertices
    assert list(map(repr, values)) == ["1", "2.5"]


@pytest.mark.parametrize(
    ("kind", "same"),
    [
        ("randomised response", Fraction(2, 4)),
        ("tight constraints", Fraction(2, 4)),
        ("best", Fraction(2, 4)),
        # On a line of three values, λ = 2: the ends keep 1/(1 + 1/2), geometric with α = 1/2.
        ("truncated geometric", Fraction(2, 3)),
    ],
)
def test_constructions_stand_for_what_they_say(
    write: Callable[[str], Path], kind: str, same: Fraction
) -> None:
    line = 'secrets = "line"\n' if "geometric" in kind else ""
    study = read(write, POLICY + line + f'[mechanism]\nkind = "{kind}"\n' + ASKED)
    assert study.channel is not None
    assert study.channel["a", "a"] == same


@pytest.mark.parametrize("kind", ["rounded laplace", "graph exponential"])
def test_noise_along_a_line_or_ring_is_private(write: Callable[[str], Path], kind: str) -> None:
    ring = '[policy]\nvalues = 4\nsecrets = "cycle"\n'
    line = ring.replace("cycle", "line")
    graph = line if kind == "rounded laplace" else ring
    channel = read(write, graph + f'[mechanism]\nkind = "{kind}"\n' + ASKED).channel
    assert channel is not None
    matrix = channel.to_numpy()
    assert (matrix[:-1] <= 2 * matrix[1:]).all()
    assert (matrix[1:] <= 2 * matrix[:-1]).all()


@pytest.mark.parametrize("kind", ["planar geometric", "planar laplace"])
def test_noise_in_the_plane_is_on_points(write: Callable[[str], Path], kind: str) -> None:
    grid = '[policy]\nsecrets = "grid"\nsides = [2, 3]\n'
    channel = read(write, grid + f'[mechanism]\nkind = "{kind}"\n' + ASKED).channel
    assert channel is not None
    assert channel.inputs == tuple((i, j) for i in range(2) for j in range(3))


def test_the_mechanism_may_have_a_ratio_of_its_own(write: Callable[[str], Path]) -> None:
    study = read(write, POLICY + RESPONSE + "ratio = 4\n" + ASKED)
    assert study.channel is not None
    assert study.channel["a", "a"] == Fraction(4, 6)
    assert study.ratio is not None
    assert study.ratio.lower == 2


def test_epsilon_is_kept_as_it_was_written(write: Callable[[str], Path]) -> None:
    study = read(write, POLICY + '[question]\nepsilon = "1/3"')
    assert study.ratio is not None
    assert study.ratio.lower < study.ratio.upper  # e^(1/3), enclosed
    logarithm = read(write, POLICY + '[question]\nepsilon = "ln 3"')
    assert logarithm.ratio is not None
    assert logarithm.ratio.lower == 3


def test_a_matrix_may_name_its_rows(write: Callable[[str], Path]) -> None:
    rows = '[mechanism.rows]\n1 = ["1/3", "2/3"]\n0 = [0.5, 0.5]\n'
    study = read(write, "[policy]\nvalues = 2\n" + MATRIX + 'outputs = ["x", "y"]\n' + rows)
    assert study.channel is not None
    assert study.channel.is_exact
    assert study.channel[1, "y"] == Fraction(2, 3)
    assert study.channel[0, "y"] == Fraction(1, 2)


def test_a_file_is_relative_to_the_study(
    write: Callable[[str], Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir("/")
    study = read(write, '[policy]\nvalues = 2\n[mechanism]\nkind = "file"\nfile = "mirror.csv"')
    assert study.channel is not None
    assert study.channel[1, "-"] == Fraction(2, 3)
    assert [path.name for path in study.files] == ["study.toml", "mirror.csv"]


def test_a_python_function_is_run_if_allowed(
    write: Callable[[str], Path], capsys: pytest.CaptureFixture[str]
) -> None:
    text = POLICY + '[mechanism]\nkind = "python"\nfunction = "good:seen"'
    study = read(write, text, allow_code=True)
    assert study.channel is not None
    assert study.channel["b", "b"] == Fraction(1, 3)
    assert study.name == "the program good:seen"
    assert capsys.readouterr().out == ""  # what it prints must not disturb --json
    assert [path.name for path in study.files] == ["study.toml", "good.py"]


def test_the_scope_says_what_the_mechanism_sees(write: Callable[[str], Path]) -> None:
    two = "[policy]\nvalues = 3\nrecords = 2\n"
    usual = read(write, two + RESPONSE + ASKED)
    assert (usual.scope, usual.graph.order) == ("record", 3)
    whole = read(write, two + RESPONSE + 'on = "database"\n' + ASKED)
    assert (whole.graph.order, whole.graph.size) == (9, 18)
    total = read(write, two + RESPONSE + 'query = "sum"\n' + ASKED)
    assert (total.scope, total.graph.vertices) == ("answer", (0, 1, 2, 3, 4))
    number = read(write, two + RESPONSE + 'query = "count"\nof = [1, 2]\n' + ASKED)
    assert number.graph.vertices == (0, 1, 2)
    most = read(write, two + RESPONSE + 'query = "most common"\n' + ASKED)
    assert set(most.graph.vertices) == {0, 1, 2, "tie"}


def test_one_record_can_be_asked_too(write: Callable[[str], Path]) -> None:
    one = '[policy]\nvalues = ["flu", "cold"]\n'
    for query in ('query = "count"\nof = ["flu"]', 'query = "most common"'):
        study = read(write, one + RESPONSE + query + "\n" + ASKED)
        assert study.graph.order == 2
        assert study.graph.size == 1


@pytest.mark.parametrize(
    ("gain", "value"), [("distance", 2), ("difference", 20), ("squared difference", 400)]
)
def test_gains_are_what_they_say(write: Callable[[str], Path], gain: str, value: int) -> None:
    line = '[policy]\nvalues = [10, 20, 30]\nsecrets = "line"\n'
    aim = read(write, line + f'[question]\ngain = "{gain}"').aim
    assert aim is not None
    assert aim[10, 30] == value


def test_a_difference_is_of_decimals_as_written(write: Callable[[str], Path]) -> None:
    aim = read(write, '[policy]\nvalues = [0.1, 0.3]\n[question]\ngain = "difference"').aim
    assert aim is not None
    assert aim[0.1, 0.3] == Fraction(1, 5)


def test_a_prior_is_a_list_or_a_table(write: Callable[[str], Path]) -> None:
    listed = read(write, POLICY + "[question]\nprior = [0.5, 0.3, 0.2]").prior
    assert listed["b"] == Fraction(3, 10)
    table = read(write, "[policy]\nvalues = 2\n[question.prior]\n1 = '1/3'\n0 = '2/3'").prior
    assert table[1] == Fraction(1, 3)
    assert read(write, POLICY + '[question]\nprior = "uniform"').prior["a"] == Fraction(1, 3)


def test_a_prior_may_be_counts_or_percentages(write: Callable[[str], Path]) -> None:
    counts = read(write, POLICY + "[question]\nprior = { a = 4711, b = 289, c = 0 }").prior
    assert counts["a"] == Fraction(4711, 5000)
    rounded = read(write, POLICY + "[question]\nprior = ['33%', '33%', '33%']").prior
    assert rounded["c"] == Fraction(1, 3)
    refused(
        write(POLICY + "[question]\nprior = ['33%', '33%', '3%']"), "prior: .*sum to 1, got 69/100"
    )
    refused(write(POLICY + "[question]\nprior = ['33%', '33%', 0.33]"), "all chances or none")


def test_the_prior_of_answers_follows_from_that_of_records(write: Callable[[str], Path]) -> None:
    """A tie of five uniform votes on three cities has 90 of 243 chances, by hand."""
    vote = "[policy]\nvalues = 3\nrecords = 5\n" + RESPONSE + 'query = "most common"\n' + ASKED
    assert read(write, vote).input_prior["tie"] == Fraction(10, 27)
    told = read(write, vote + "answers = { tie = 1, 0 = 0, 1 = 0, 2 = 0 }")
    assert told.input_prior["tie"] == 1
    assert told.prior[0] == Fraction(1, 3)


def test_attributes_have_secret_graphs_of_their_own(write: Callable[[str], Path]) -> None:
    text = (
        '[policy]\nattributes = { sex = ["f", "m"], '
        'band = { values = ["low", "middle", "high"], secrets = "line" } }\n'
    )
    one = read(write, text).policy.secrets
    assert set(one.neighbours(("f", "low"))) == {("m", "low"), ("f", "middle")}
    every = read(write, text + 'differ = "all"\n').policy.secrets
    assert set(every.neighbours(("f", "low"))) == {("m", "low"), ("f", "middle"), ("m", "middle")}
    prior = 'prior = { "f, low" = "1/2", "m, high" = "1/2" }'
    assert read(write, f"{text}[question]\n{prior}").prior["m", "high"] == Fraction(1, 2)


@pytest.mark.parametrize(
    ("policy", "query", "steps"),
    [
        ("values = 3", 'query = "count"\nof = [1]', 1),
        ("values = [0, 2, 7]", 'query = "sum"', 7),
        ('values = [0, 2, 7]\nsecrets = "line"', 'query = "sum"', 5),
        ("values = 3", 'query = "histogram"', 2),
        ('values = 1\nabsent = "gone"', 'query = "histogram"', 1),
    ],
)
def test_noise_is_made_for_how_far_neighbours_are_apart(
    write: Callable[[str], Path], policy: str, query: str, steps: int
) -> None:
    study = read(write, f"[policy]\n{policy}\nrecords = 9\n{GEOMETRIC}{query}\n{ASKED}")
    assert study.mechanism.sensitivity == steps  # type: ignore[union-attr]
    assert study.noise is not None


def test_a_file_with_a_byte_order_mark_is_read(tmp_path: Path) -> None:
    path = tmp_path / "study.toml"
    path.write_bytes(b"\xef\xbb\xbf" + POLICY.encode())
    assert read_study(path).policy.secrets.order == 3


def test_invalid_studies_are_invalid_files(write: Callable[[str], Path]) -> None:
    with pytest.raises(InvalidFile):
        read_study(write(""))


# --- the page that documents them ----------------------------------------------------------


DOCS = Path(__file__).parents[2] / "docs"


def test_the_page_has_the_table_of_the_schema() -> None:
    """``python -m leaktight.studies.keys --table`` prints it."""
    page = (DOCS / "study.md").read_text(encoding="utf-8")
    start = page.index("| key | type |")
    assert page[start : page.index("\n\n", start) + 1] == documented()


def test_the_published_schema_is_that_of_the_keys() -> None:
    """``python -m leaktight.studies.keys`` prints it."""
    published = (DOCS / "study.schema.json").read_text(encoding="utf-8")
    assert json.loads(published) == study_schema()


def test_the_schema_takes_every_example_and_names_what_is_no_key() -> None:
    check = jsonschema.Draft202012Validator(study_schema())
    examples = sorted((DOCS.parent / "examples").glob("*/*.toml"))
    assert len(examples) > 5
    for path in examples:
        check.validate(tomllib.loads(path.read_text(encoding="utf-8")))
    for wrong in (
        '[policy]\nvalues = 3\nrecord = 2',
        '[policy]\nvalues = 3\nrecords = "two"',
        '[policy]\nvalues = 3\n[mechanism]\nkind = "geometrik"',
        '[policy]\nattributes.band = { values = 6, secret = "line" }',
        'title = "no policy"',
    ):  # fmt: skip
        assert not check.is_valid(tomllib.loads(wrong)), wrong


def test_what_keys_may_say_is_what_the_library_knows() -> None:
    tables = sections()
    assert tables["mechanism"].keys["on"].choices == SCOPES
    assert tables["data"].keys["keep"].choices == KEEP
    assert tables["release"].keys["noise"].choices == tuple(NOISES)
    assert {*tables["policy"].keys["people"].choices} == {CHANGE, FIXED}
    for table in tables.values():
        assert all(key.kind.readers for key in table.keys.values())


@pytest.mark.parametrize(
    ("what", "said"),
    [("a band", "a band (band and town at once)"), ("Band and town", "Band and town")],
)
def test_a_guess_of_several_attributes_is_said_to_be_of_all(
    write: Callable[[str], Path], what: str, said: str
) -> None:
    text = f"""
    policy.attributes = {{ band = ["low", "high"], town = ["A", "B"] }}
    question = {{ ratio = 2, what = "{what}" }}
    """
    assert read_study(write(text)).what == said
