// Points on a map: a drawing that is edited. The nearer two of them are, the harder to tell apart.

import { change, name, number, read, study } from "./study.js";
import { cut, draw, labels, line, rect, room, svg, text } from "./svg.js";

export const METRICS = ["euclidean", "manhattan", "haversine"];
const MARGIN = 40; // pixels around the points
const DEGREE = 111.195; // kilometres of a degree on the globe
let where = null; // the place of the map on the page
let epsilon = 1, unitName = "";
let chosen = null; // the point that arrow keys move
let focused = 0;
let held = null; // the point that the mouse moves: { k, x, y, moved }
let view = null; // which part of the plane is seen

/** The points of a policy as [name, coordinates]; without a name, a point is called by these. */
function pointsOf(policy) {
  if (policy.sides) {
    const sides = policy.sides.map((side) => (Array.isArray(side) ? side : [...Array(side).keys()]));
    return sides.reduce((all, side) => all.flatMap((one) => side.map((at) => [...one, at])), [[]]).map((at) => [null, at]);
  }
  return Array.isArray(policy.points) ? policy.points.map((at) => [null, at]) : Object.entries(policy.points ?? {});
}

/** Whether a policy has points in a plane or on a globe. */
export const isMap = (policy) => METRICS.includes(policy.metric) && pointsOf(policy).every(([, at]) => at.length === 2);

const isNumbered = (policy) => isMap(policy) && pointsOf(policy).every(([, at]) => at.every((each) => Number.isFinite(number(each))));

/** What a policy has of its own kind; all else fits any. */
export const ONLY = ["values", "secrets", "attributes", "differ", "groups", "sides", "distance", "edges", "margins", "constraints",
  "databases", "absent", "metric", "points", "distances", "unit"];

function setPoints({ policy, question }, points, same = false) {
  const names = new Set();
  const unique = (called, k) => {
    let free = called;
    for (let n = k + 1; free === null || names.has(free); n += 1) free = `${called ?? "place"} ${n}`;
    names.add(free);
    return free;
  };
  delete policy.sides;
  const unnamed = points.every(([called]) => called === null);
  policy.points = unnamed ? points.map(([, at]) => at) : Object.fromEntries(points.map(([called, at], k) => [unique(called, k), at]));
  if (!same || (unnamed && !Array.isArray(question.prior))) delete question.prior;
}

/** The points as they stand in a field, one in a line. */
export const written = (policy) => pointsOf(policy).map(([called, at]) => `${called === null ? "" : `${called}: `}${at.join(", ")}`).join("\n");

function parsed(typed) {
  const end = typed.lastIndexOf(":");
  return [end < 0 ? null : typed.slice(0, end).trim(), typed.slice(end + 1).split(",").map((part) => read(part.trim()))];
}

export const setWritten = (next, typed) => setPoints(next, typed.split("\n").filter((each) => each.trim()).map(parsed));

// --- where a point is seen -----------------------------------------------------------------------

const isGlobe = () => study.policy.metric === "haversine";
const flat = (at) => (isGlobe() ? [number(at[1]) * view.narrow, number(at[0])] : at.map(number));
const pixel = (at) => {
  const [east, north] = flat(at);
  return [view.x + east * view.scale, view.y - north * view.scale];
};
/** The coordinates of a pixel, with as many digits as a pixel tells. */
const coordinates = (x, y) => {
  const step = 10 ** Math.floor(Math.log10(2 / view.scale));
  const round = (value) => +(Math.round(value / step) * step).toPrecision(12);
  const [east, north] = [(x - view.x) / view.scale, (view.y - y) / view.scale];
  return isGlobe() ? [round(north), round(east / view.narrow)] : [round(east), round(north)];
};

/** See all points, as large as there is room. */
function fit(points, width) {
  const known = points.map(([, at]) => at.map(number));
  view = { width, narrow: Math.cos((known.reduce((sum, [north]) => sum + north, 0) / known.length) * (Math.PI / 180)) };
  const places = points.map(([, at]) => flat(at));
  const [[left, right], [low, high]] = [0, 1].map((axis) => [Math.min, Math.max].map((end) => end(...places.map((each) => each[axis]))));
  const largest = Math.max(right - left, high - low) || 1;
  view.scale = Math.min((width - 2 * MARGIN) / (right - left || largest), 240 / (high - low || largest));
  view.height = Math.max(150, (high - low) * view.scale + 2 * MARGIN);
  view.x = width / 2 - ((left + right) / 2) * view.scale;
  view.y = view.height / 2 + ((low + high) / 2) * view.scale;
}

const isSeen = ([x, y]) => x > 12 && y > 12 && x < view.width - 12 && y < view.height - 12;

// --- drawing ---------------------------------------------------------------------------------------

export function show(place, { audit }) {
  where = place;
  epsilon = audit.question.epsilon;
  unitName = audit.policy.distances?.unit ?? "";
  paint();
}

export function tidy() {
  chosen = view = null;
  paint();
}

function paint() {
  if (!isNumbered(study.policy)) return; // somebody is typing
  const points = pointsOf(study.policy);
  const width = room(where, 560);
  if (!held && (chosen === null || view?.width !== width || !points.every(([, at]) => isSeen(pixel(at))))) fit(points, width);
  focused = Math.max(0, Math.min(focused, points.length - 1));
  if (chosen !== null && chosen >= points.length) chosen = null;
  const places = points.map(([, at]) => pixel(at));
  const names = labels(points.map(([called, at]) => cut(called ?? name(at), 16)), places, width, view.height);
  const dots = points.map(([called, at], k) => svg("g", {
    class: `dot movable${k === chosen ? " chosen" : ""}`, tabindex: k === focused ? 0 : -1, role: "button", "aria-pressed": k === chosen,
    "data-value": called ?? name(at), "data-at": at.join(", "), "aria-label": `${called ?? "the point"} at ${at.join(", ")}`,
    onpointerdown: (event) => take(event, k), onkeydown: (event) => press(event, k),
  }, svg("circle", { cx: places[k][0], cy: places[k][1], r: 14, class: "hit" }), svg("circle", { cx: places[k][0], cy: places[k][1], r: 6 }),
  names[k], svg("title", {}, `${called ?? "point"}: ${at.join(", ")}`)));
  const drawing = draw(where, `A map of ${points.length} points: the nearer, the harder to tell apart`, view.height, width,
    [rect(0.5, 0.5, width - 1, view.height - 1, "land", { rx: 6 }), ...(places.length ? ring(places[focused]) : []), ...bar(), ...dots], true);
  drawing.addEventListener("dblclick", (event) => { if (!event.target.closest(".dot")) add(null, coordinates(...under(event))); });
}

const length = () => view.scale / (isGlobe() ? DEGREE : 1); // pixels of a distance of 1
const radius = () => Math.LN2 / epsilon;

/** A number with so many digits that is not above `value`: what is promised within it holds. */
export function below(value, digits) {
  const near = Number(value.toPrecision(digits));
  const unit = 10 ** (Math.floor(Math.log10(value)) + 1 - digits);
  return near <= value ? near : Number((near - unit).toPrecision(digits));
}

/** Within the ring, odds at most double. */
function ring([x, y]) {
  const r = radius() * length();
  if (!(r < 5000)) return [];
  return [study.policy.metric === "manhattan" ? svg("path", { d: `M${x - r} ${y}L${x} ${y - r}L${x + r} ${y}L${x} ${y + r}Z`, class: "ring" }) : svg("circle", { cx: x, cy: y, r, class: "ring" })];
}

/** How long a distance is on the map. */
function bar() {
  const most = 110 / length(), power = 10 ** Math.floor(Math.log10(most));
  const round = power * [5, 2, 1].find((each) => each * power <= most);
  const [left, y, right] = [12, view.height - 12, 12 + round * length()];
  return [line(left, y, right, y, "axis"), line(left, y - 4, left, y, "axis"), line(right, y - 4, right, y, "axis"),
    text(right + 6, y + 2, `${+round.toPrecision(3)} ${unitName}`, "tick")];
}

/** What is to be done, and what the ring says. */
export function hint() {
  const points = pointsOf(study.policy);
  const [called, at] = points[focused] ?? points[0] ?? ["", []];
  return `${chosen === null ? "Drag a point, or choose it with Enter and move it with the arrow keys; a double click adds one."
    : "Arrow keys move the chosen point, with Shift a little; Delete removes it."} The ring is ${below(radius(), 3)}${unitName ? ` ${unitName}` : ""} around ${called ?? name(at)}: between it and a point inside, what is released at most doubles the odds.`;
}

// --- edits ---------------------------------------------------------------------------------------

const under = (event) => {
  const frame = where.firstChild.getBoundingClientRect();
  const by = view.width / frame.width;
  return [(event.clientX - frame.left) * by, (event.clientY - frame.top) * by];
};

function take(event, k) {
  event.preventDefault();
  focused = k;
  const [x, y] = under(event);
  held = { k, x, y, moved: false };
  paint();
  where.querySelector('[tabindex="0"]')?.focus();
}

addEventListener("pointermove", (event) => {
  if (!held) return;
  const [x, y] = under(event);
  if (!held.moved && Math.hypot(x - held.x, y - held.y) < 3) return;
  const inside = (at, most) => Math.max(4, Math.min(most - 4, at));
  move(held.k, coordinates(inside(x, view.width), inside(y, view.height)), held.moved);
  held.moved = true;
});
for (const end of ["pointerup", "pointercancel"]) {
  addEventListener(end, () => {
    if (!held) return;
    const { k, moved } = held;
    chosen = moved || chosen !== k ? k : null;
    held = null;
    paint();
  });
}

function press(event, k) {
  const count = pointsOf(study.policy).length;
  const [east, south] = { ArrowRight: [1, 0], ArrowLeft: [-1, 0], ArrowDown: [0, 1], ArrowUp: [0, -1] }[event.key] ?? [0, 0];
  if (east || south) {
    if (chosen === k) {
      const [x, y] = pixel(pointsOf(study.policy)[k][1]);
      const by = event.shiftKey ? 2 : 12;
      move(k, coordinates(x + east * by, y + south * by), event.repeat);
    } else focused = (k + east + south + count) % count;
  } else if (event.key === "Enter" || event.key === " ") chosen = chosen === k ? null : k;
  else if (event.key === "Escape") chosen = null;
  else if (event.key === "Delete" || event.key === "Backspace") return event.preventDefault(), remove(k);
  else return;
  event.preventDefault();
  paint();
}

/** Move a point; while it is `moving`, "back" undoes all of it. */
function move(k, at, moving) {
  change((next) => setPoints(next, pointsOf(next.policy).map((point, each) => (each === k ? [point[0], at] : point)), true), moving);
  paint();
}

/** Add a point: its name, its coordinates, or both; without these it comes to the middle. */
export function addWritten(typed) {
  const points = pointsOf(study.policy);
  if (typed.includes(":") || (points.length && points.every(([called]) => called === null))) return add(...parsed(typed));
  let [x, y] = [view.width / 2, view.height / 2];
  while (points.some(([, at]) => Math.hypot(pixel(at)[0] - x, pixel(at)[1] - y) < 20)) x += 24;
  add(typed, coordinates(x, y));
}

function add(called, at) {
  change((next) => setPoints(next, [...pointsOf(next.policy), [called, at]]));
}

function remove(k) {
  chosen = null;
  change((next) => setPoints(next, pointsOf(next.policy).filter((_, each) => each !== k)));
}

export function removeChosen() {
  if (chosen !== null) remove(chosen);
}

/** Give a policy another metric: on the same points, turned if one of them has north first, or on `places`. */
export function setMetric(next, metric, places) {
  const { policy } = next;
  const turned = (metric === "haversine") !== (policy.metric === "haversine");
  if (METRICS.includes(policy.metric) && !turned) {
    policy.metric = metric;
    return;
  }
  const points = isMap(policy) ? pointsOf(policy) : places;
  const sides = policy.secrets === "grid" && !turned && isNumbered({ metric, sides: policy.sides }) ? policy.sides : null;
  for (const key of ONLY) delete policy[key];
  policy.metric = metric;
  if (sides) policy.sides = sides;
  else setPoints(next, turned ? points.map(([called, at]) => [called, [...at].reverse()]) : points, true);
}
