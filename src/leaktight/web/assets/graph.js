// The secret graph: a drawing that is edited. Values are dots, secret pairs are lines.

import * as map from "./map.js";
import { change, keepBeliefs, name, shown, study } from "./study.js";
import { cut, draw, labels, line, room, svg, text } from "./svg.js";

const LISTED = ["complete", "line", "cycle", "threshold", "edges"]; // kinds whose values are a list
let chosen = null; // the value at which a pair begins
let focused = 0;
let drawn = { values: [], pairs: [], places: [], lengths: null };
let kept = new Map(); // where dots stay while pairs are edited one by one

/** What decides who must not be told apart; lengths of edges, where others have secret pairs. */
export const kindOf = (policy) => ("attributes" in policy ? "attributes" : policy.metric === "edges" ? "lengths" : policy.metric ?? policy.secrets ?? "complete");
export const listed = (policy) => LISTED.includes(kindOf(policy));

/** The values as a list that can be edited; what stands for an absent record is not among them. */
export function valuesOf(policy) {
  if (Array.isArray(policy.values)) return policy.values;
  if (drawn.folded) return Array.from({ length: drawn.folded.order }, (_, k) => k);
  return drawn.values.filter((value) => value !== policy.absent);
}

/** Show what the server says of the graph. */
export function show(place, found) {
  drawn = found;
  if (map.isMap(study.policy)) return map.show(place, found);
  const byHand = kindOf(study.policy) === "edges";
  const keys = found.values.map(name);
  if (!byHand || !keys.every((key) => kept.has(key))) {
    const old = kept;
    kept = new Map(keys.map((key, k) => [key, byHand && old.get(key) ? old.get(key) : found.places[k]]));
    if (byHand) separate(kept);
  }
  paint(place);
}

/** Whether values are shown without their names, for want of room. */
export const nameless = () => Boolean(drawn.nameless);

/** Move a dot that came to stand on another one. */
function separate(places) {
  const taken = [];
  for (const [key, [x, y]] of places) {
    let at = [x, y];
    while (taken.some(([a, b]) => Math.hypot(a - at[0], b - at[1]) < 0.5)) at = [at[0] + 0.6, at[1] + 0.4];
    places.set(key, at);
    taken.push(at);
  }
}

export function tidy(place) {
  if (map.isMap(study.policy)) return map.tidy();
  kept = new Map(drawn.values.map((value, k) => [name(value), drawn.places[k]]));
  paint(place);
}

export function paint(place) {
  const { values, pairs } = drawn;
  const width = room(place, 560);
  const places = values.map((value) => kept.get(name(value)) ?? [0, 0]);
  const [left, top] = [0, 1].map((axis) => Math.min(...places.map((each) => each[axis])));
  const [wide, high] = [0, 1].map((axis) => Math.max(...places.map((each) => each[axis])) - [left, top][axis]);
  const unit = Math.min(90, (width - 90) / (wide || 1), 230 / (high || 1));
  const height = Math.max(64, high * unit + 64);
  const at = places.map(([x, y]) => [(width - wide * unit) / 2 + (x - left) * unit, 34 + (y - top) * unit]);
  const letters = Math.max(4, Math.floor(unit / 7.2));
  const short = (value) => (drawn.folded ? name(value).split(" … ")[0] : name(value)); // of a group, its first value
  const written = values.map((value) => cut(short(value), letters));
  drawn.nameless = new Set(written).size < values.length; // cut so short that several are alike
  const names = drawn.nameless ? values.map(() => "") : labels(written, at, width, height, pairs);
  focused = Math.min(focused, values.length - 1);
  if (study.policy.metric || drawn.folded) return paintLengths(place, at, names, height, width);
  const lines = pairs.map(([i, j]) => svg("g", { class: "pair", onclick: () => toggle(i, j) },
    line(...at[i], ...at[j], "edge"), line(...at[i], ...at[j], "hit"),
    svg("title", {}, `${name(values[i])} and ${name(values[j])} must not be told apart; click to remove`)));
  const dots = values.map((value, k) => {
    const neighbours = pairs.filter((pair) => pair.includes(k)).map(([i, j]) => name(values[i === k ? j : i]));
    return svg("g", {
      class: `dot${k === chosen ? " chosen" : ""}`, tabindex: k === focused ? 0 : -1, role: "button",
      "aria-pressed": k === chosen, "data-value": name(value),
      "aria-label": `${name(value)}, ${neighbours.length ? `not to be told from ${neighbours.join(", ")}` : "in no secret pair"}`,
      onclick: () => pick(place, k), onkeydown: (event) => press(place, event, k),
    }, svg("circle", { cx: at[k][0], cy: at[k][1], r: 16, class: "hit" }),
    svg("circle", { cx: at[k][0], cy: at[k][1], r: 6.5 }), names[k], svg("title", {}, name(value)));
  });
  draw(place, `The secret graph: ${values.length} values and ${pairs.length} pairs that must not be told apart`,
    height, width, [...lines, ...dots], true);
}

/** Values with distances that are no map: lines between the pairs that matter, with their lengths. */
function paintLengths(place, at, names, height, width) {
  const { values, pairs, lengths } = drawn;
  const middle = (i, j) => [0, 1].map((axis) => (at[i][axis] + at[j][axis]) / 2);
  const lines = pairs.map(([i, j], k) => svg("g", {}, line(...at[i], ...at[j], "edge"),
    pairs.length > 12 || !lengths ? "" : text(...middle(i, j), +lengths[k].toPrecision(3), "name tick middle"), svg("title", {}, `${name(values[i])} and ${name(values[j])}`)));
  const dots = values.map((value, k) => svg("g", {}, svg("circle", { cx: at[k][0], cy: at[k][1], r: 6.5, class: "value" }), names[k], svg("title", {}, name(value))));
  const { folded } = drawn;
  const said = folded ? `${folded.order} values in ${values.length} groups, and ${pairs.length} pairs of groups with a secret pair between them` : `${values.length} values, and ${pairs.length} pairs of them between which no other lies`;
  draw(place, said, height, width, [...lines, ...dots]);
}

function pick(place, k) {
  if (chosen === null || chosen === k) {
    chosen = chosen === k ? null : k;
    focused = k;
    paint(place);
  } else {
    const first = chosen;
    chosen = null;
    focused = k;
    toggle(first, k);
  }
}

function press(place, event, k) {
  const moves = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 };
  if (event.key in moves) {
    focused = (k + moves[event.key] + drawn.values.length) % drawn.values.length;
    paint(place);
  } else if (event.key === "Enter" || event.key === " ") pick(place, k);
  else if (event.key === "Escape") {
    chosen = null;
    paint(place);
  } else if (event.key === "Delete" || event.key === "Backspace") remove(k);
  else return;
  event.preventDefault();
}

// --- edits ---------------------------------------------------------------------------------------

/** Write the pairs of any kind of graph one by one, so that each can be taken away. */
function oneByOne(policy) {
  if (kindOf(policy) === "edges") return;
  const { values, pairs } = drawn;
  const present = (k) => values[k] !== policy.absent;
  const edges = pairs.filter((pair) => pair.every(present)).map((pair) => pair.map((k) => values[k]));
  for (const key of ["attributes", "differ", "groups", "sides", "distance", "margins"]) delete policy[key];
  Object.assign(policy, { values: values.filter((value) => value !== policy.absent), secrets: "edges", edges });
}

const same = (a, b) => JSON.stringify(a) === JSON.stringify(b);

function toggle(i, j) {
  const { values, pairs } = drawn;
  if ([i, j].some((k) => values[k] === study.policy.absent)) return;
  const there = pairs.some((pair) => pair.includes(i) && pair.includes(j));
  drawn = { ...drawn, pairs: there ? pairs.filter((pair) => !(pair.includes(i) && pair.includes(j))) : [...pairs, [i, j]] };
  change(({ policy }) => {
    oneByOne(policy);
    policy.edges = drawn.pairs.map((pair) => pair.map((k) => values[k])).filter((pair) => !pair.includes(policy.absent));
  });
}

export function add(value) {
  change(({ policy, question }) => {
    const before = valuesOf(policy);
    if (kindOf(policy) === "partition") policy.groups.at(-1).push(value);
    else policy.values = [...before, value];
    if (policy.absent === undefined) keepBeliefs(question, before, [...before, value]);
    else delete question.prior;
  });
}

function remove(k) {
  const value = drawn.values[k];
  chosen = null;
  change(({ policy, question }) => {
    if (value === policy.absent) delete policy.absent;
    else if (kindOf(policy) === "partition") {
      policy.groups = policy.groups.map((group) => group.filter((each) => !same(each, value))).filter((group) => group.length);
    } else {
      if (!listed(policy)) oneByOne(policy);
      policy.values = valuesOf(policy).filter((each) => !same(each, value));
      policy.edges &&= policy.edges.filter((pair) => !pair.some((each) => same(each, value)));
    }
    const left = valuesOf(policy);
    for (const each of policy.constraints ?? []) each.values = each.values.filter((one) => !same(one, value));
    if (policy.constraints) policy.constraints = policy.constraints.filter((each) => each.values.length);
    if (policy.absent === undefined) keepBeliefs(question, drawn.values, left);
    else delete question.prior;
  });
}

export function removeChosen() {
  if (chosen !== null) remove(chosen);
}

/** Another kind of graph on the same values, as far as it has any of its own. */
export function setKind(kind) {
  change((next) => {
    const { policy, question, mechanism } = next;
    const values = valuesOf(policy);
    if (kind === "lengths" || map.METRICS.includes(kind)) {
      if (mechanism && !["best", "randomised response"].includes(mechanism.kind)) next.mechanism = { kind: "best" };
      if (["difference", "squared", "squared difference"].includes(question.gain)) question.gain = "distance";
      if (kind !== "lengths") return map.setMetric(next, kind, drawn.values.map((value, k) => [name(value), [drawn.places[k][0], -drawn.places[k][1]]]));
      const lengths = drawn.pairs.map((pair, k) => [...pair.map((each) => drawn.values[each]), +(drawn.lengths?.[k] ?? 1).toPrecision(4)]);
      for (const key of map.ONLY) delete policy[key];
      return Object.assign(policy, { metric: "edges", values: drawn.values, edges: lengths });
    }
    const edges = drawn.pairs.map((pair) => pair.map((k) => drawn.values[k])).filter((pair) => !pair.includes(policy.absent));
    for (const key of ["attributes", "differ", "groups", "sides", "distance", "edges", "margins", "values", "metric", "points", "distances", "unit"]) delete policy[key];
    policy.secrets = kind;
    const half = Math.ceil(values.length / 2);
    if (kind === "partition") policy.groups = [values.slice(0, half), values.slice(half)].filter((group) => group.length);
    else if (kind === "grid") policy.sides = [Math.max(2, Math.round(Math.sqrt(values.length))), Math.max(2, Math.round(Math.sqrt(values.length)))];
    else if (kind === "attributes") {
      delete policy.secrets;
      policy.attributes = { first: values.slice(0, 8).map((value) => shown(value)), second: ["no", "yes"] };
    } else policy.values = values;
    if (kind === "threshold") policy.distance = 1;
    if (kind === "edges") policy.edges = edges;
    if (!listed(policy)) {
      delete question.prior;
      delete policy.constraints;
    }
  });
}
