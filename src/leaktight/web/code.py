"""Python code that gives the numbers of the page.

The code makes the study that ``leaktight audit`` reads from the TOML file, from public names alone.
"""

from decimal import Decimal
from itertools import product
from typing import Any

import leaktight as lt
from leaktight.channels.channel import Channel
from leaktight.mechanisms.line import LineMechanism
from leaktight.mechanisms.registry import Construction, constructions
from leaktight.policies.secrets import ABSENT, CHANGE
from leaktight.studies.study import Study
from leaktight.web.document import Document, answerable

ASKED = """
found = lt.audit(study)
print(lt.reports.summary(found))
print(found.person.any_mechanism)      # the odds about one person, whatever is released
print(found.worst_case)                # the most that any mechanism leaks
print(found.published)                 # what the papers say that none exceeds
print(found.usefulness)                # the mechanism, and the best one
"""

EVERY_EPSILON = """\
print(lt.worst_case_function(secrets)) # for every ε at once, of one record
"""


def code_of(document: Document) -> str:
    """Return code that makes the study of a document and prints what the page shows of it.

    >>> code = code_of({"policy": {"values": ["no", "yes"]}, "question": {"ratio": 3}})
    >>> print("\\n".join(code.splitlines()[:6]))
    import leaktight as lt
    <BLANKLINE>
    secrets = lt.SecretGraph.complete(['no', 'yes'])
    policy = lt.Policy(secrets, records=1)
    asked = {'ratio': 3, 'title': 'study'}
    study = lt.Study(policy, **asked)
    """
    study = answerable(document)
    policy, question = document["policy"], document.get("question", {})
    lines = ["import leaktight as lt", "", f"secrets = {_secrets(policy)}"]
    told = [*map(_count, policy.get("constraints", [])), *_margins(policy, study)]
    public = f", constraints=[{', '.join(told)}]" if told else ""
    if "databases" in policy:
        public = f", databases={_labels(policy['databases'])}"
    lines.append(f"policy = lt.Policy(secrets, records={policy.get('records', 1)}{public})")
    asked = [f"{key!r}: {_said(key, question[key], study)}" for key in question if key != "what"]
    if "what" in question or "attributes" in policy:
        asked.append(f"'what': {study.what!r}")
    if study.query is not None:
        asked.insert(0, f"'query': {_query(document, study)}")
    elif "on" in document.get("mechanism", {}):
        asked.insert(0, f"'on': {study.scope!r}")
    asked += [f"'absent': {study.absent!r}"] if study.absent is not None else []
    asked += [f"'unit': {study.unit!r}"] if study.unit else []
    asked.append(f"'title': {study.title!r}")
    lines.append(f"asked = {{{', '.join(asked)}}}")
    if "mechanism" in document:
        lines += [
            "draft = lt.Study(policy, **asked)",
            f"mechanism = {_mechanism(document['mechanism'], study)}",
            "study = lt.Study(policy, mechanism, **asked)",
        ]
    else:
        lines.append("study = lt.Study(policy, **asked)")
    if "below" in question and not study.policy.is_constrained:
        chosen = "study.policy, study.below, study.prior, study.observations"
        if study.curve is None:
            lines.append(f"print(lt.repetition.largest_ratio_below({chosen}))")
        for kind in [key for key in ("rho", "mu", "delta") if key in question]:
            more = f"kind={kind!r}" if kind != "delta" else "kind='epsilon', delta=asked['delta']"
            lines.append(f"print(lt.repetition.largest_promise_below({chosen}, {more}))")
    pure = study.policy.metric is None and study.curve is None
    return "\n".join(lines) + ASKED + (EVERY_EPSILON if pure else "")


# --- the policy ------------------------------------------------------------------------------


def _secrets(table: dict[str, Any]) -> str:
    if "metric" in table:
        return f"lt.Metric.{_distances(table)}"
    made = _graph(table)
    if table.get("people") == CHANGE:
        return f"lt.SecretGraph.add_remove({made}.vertices, {table.get('absent', ABSENT)!r})"
    return f"{made}.with_absent({table['absent']!r})" if "absent" in table else made


def _distances(table: dict[str, Any]) -> str:
    kind, values = table["metric"], _labels(table.get("values"))
    if kind == "matrix":
        rows = [list(map(str, row)) for row in table["distances"]]
        return f"from_table({rows}, {values})"
    if kind == "edges":
        ends = list(dict.fromkeys(_label(end) for edge in table["edges"] for end in edge[:2]))
        return f"from_edges({values if 'values' in table else ends}, {_labels(table['edges'])})"
    if "sides" in table:
        sides = [range(side) if isinstance(side, int) else _label(side) for side in table["sides"]]
        return f"{kind}({list(product(*sides))})"
    if isinstance(points := table["points"], dict):
        listed = ",\n    ".join(f"{name!r}: {_label(place)}" for name, place in points.items())
        return f"{kind}({{\n    {listed},\n}})"
    return f"{kind}({_labels(points)})"


def _graph(table: dict[str, Any] | list[Any]) -> str:
    if isinstance(table, list):
        table = {"values": table}
    if "attributes" in table:
        kind = "strong_product" if table.get("differ") == "all" else "product"
        graphs = ",\n    ".join(map(_graph, table["attributes"].values()))
        return f"lt.SecretGraph.{kind}(\n    {graphs},\n)"
    kind, values = table.get("secrets", "complete"), _labels(table.get("values"))
    if kind == "threshold":
        return f"lt.SecretGraph.threshold({values}, distance={_labels(table['distance'])})"
    if kind == "partition":
        return f"lt.SecretGraph.partition({_labels(table['groups'])})"
    if kind == "grid":
        return f"lt.SecretGraph.grid({', '.join(map(_labels, table['sides']))})"
    if kind == "edges":
        return f"lt.SecretGraph.from_edges({values}, {_labels(table['edges'])})"
    return f"lt.SecretGraph.{kind}({values})"


def _count(table: dict[str, Any]) -> str:
    limits = "".join(f", {key}={n}" for key, n in table.items() if key != "values")
    return f"lt.count({_labels(table['values'])}{limits})"


def _margins(table: dict[str, Any], study: Study) -> list[str]:
    names = list(table.get("attributes", {}))
    people: list[Any] = [v for v in study.policy.secrets.vertices if isinstance(v, tuple)]
    found, given = [], table.get("margins", {})
    for key, numbers in (dict.fromkeys(given) if isinstance(given, list) else given).items():
        parts = [names.index(name.strip()) for name in key.split(",")]
        if numbers is None:  # published, whatever it says
            found.append(f"*lt.policies.margin(secrets.vertices, {parts}, None, {names})")
            continue
        told = {", ".join(str(v[p]) for p in parts): tuple(v[p] for p in parts) for v in people}
        cells = {told[text]: number for text, number in numbers.items()}
        found.append(f"*lt.policies.margin(secrets.vertices, {parts}, {cells}, {names})")
    return found


def _labels(given: Any) -> str:
    """Return values as the reader of a study takes them: lists within a list are tuples."""
    if isinstance(given, list):
        return f"[{', '.join(repr(_label(each)) for each in given)}]"
    return repr(_label(given))


def _label(given: Any) -> Any:
    if isinstance(given, list):
        return tuple(map(_label, given))
    if isinstance(given, Decimal):
        return int(given) if given == given.to_integral() else float(given)
    return given


# --- the question and the mechanism ----------------------------------------------------------


def _said(key: str, given: Any, study: Study) -> str:
    """Return what a question says; what is believed of values is a list in their order."""
    if key in ("prior", "answers") and given != "uniform":
        believed = study.prior if key == "prior" else study.answers
        assert believed is not None
        return repr([str(p) for p in believed.array])
    if key == "prior":
        return "None"
    if key == "curve":
        pairs = [(str(epsilon), str(delta)) for epsilon, delta in given]
        return f"lt.PrivacyCurve.pairs({pairs})"
    return repr(str(given) if isinstance(given, Decimal) else given)


def _query(document: Document, study: Study) -> str:
    table = document["mechanism"]
    name = table["query"]
    if name == "count":
        return f"lt.policies.counting_query({_labels(table['of'])})"
    if name == "histogram":
        kept = [v for v in study.policy.secrets.vertices if v != study.absent]
        return f"lt.policies.HistogramQuery({tuple(table.get('of', kept))!r})"
    return "lt.policies.SumQuery()" if name == "sum" else "lt.policies.MostCommonQuery()"


def _mechanism(table: dict[str, Any], study: Study) -> str:
    kind, mechanism = table["kind"], study.mechanism
    own = [f"{key}={str(table[key])!r}" for key in ("ratio", "epsilon") if key in table]
    ratio = f"lt.Ratio.of({own[0]})" if own else "draft.ratio"
    if not own and study.curve is not None:  # the ε beside a δ
        ratio = "lt.Ratio.of(asked.get('ratio'), asked.get('epsilon'))"
    if kind == "best":
        return f"lt.optimal_mechanism(draft.apart, draft.input_prior, draft.aim, {ratio})"
    if isinstance(mechanism, Channel):  # a matrix
        rows = [list(map(str, row)) for row in mechanism.matrix]
        labels = f"{list(mechanism.inputs)}, {list(mechanism.outputs)}"
        return f"lt.Channel({rows}, {labels})"
    one = constructions()[kind]
    given = {"values": ["draft.graph.vertices"], "graph": ["draft.graph"]}.get(one.built_on, [])
    if one.built_on == "plane":
        points: Any = study.graph.vertices
        given += [repr(list(dict.fromkeys(point[k] for point in points))) for k in (0, 1)]
    if isinstance(mechanism, LineMechanism):
        given.append(_run(list(mechanism.values)))
    if one.is_noise:
        given.append(f"sensitivity={mechanism.sensitivity}")  # type: ignore[union-attr]
    if one.built_on == "values" and study.policy.metric:
        ratio += ".over(secrets.nearest, secrets.nearest)"
    private = [f"{k.name}={str(table[k.name])!r}" for k in one.keys if k.name in table]
    private = [f"ratio={ratio}.lower"] if one.has_ratio else private
    return f"{_named(one)}({', '.join([*given, *private])})"


def _named(one: Construction) -> str:
    """Return the public name of what makes a mechanism: its own, or that of its registration."""
    name: str = one.make.__name__
    for root, room in (("lt", lt), ("lt.mechanisms", lt.mechanisms)):
        if name in room.__all__:
            return f"{root}.{name}"
    return f"lt.mechanisms.constructions()[{one.name!r}].make"


def _run(values: list[Any]) -> str:
    """Return values as a range if they are one."""
    whole = all(isinstance(value, int) for value in values)
    if whole and values == list(range(values[0], values[-1] + 1)):
        return f"range({values[0]}, {values[-1] + 1})"
    return repr(values)
