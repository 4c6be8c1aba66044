// The answers as pictures: bars of odds, curves over ε, the mechanism, and what an output tells.

import { axes, cut, draw, line, rect, room, scale, svg, text } from "./svg.js";

/** A text in lines of so many letters. */
function wrapped(said, letters) {
  const lines = [""];
  for (const word of said.split(" ")) {
    if (lines.at(-1) && lines.at(-1).length + word.length >= letters) lines.push(word);
    else lines.push(`${lines.pop()} ${word}`.trim());
  }
  return lines;
}

/** Bars for each who guesses: before, after one look, after n. */
export function odds(place, rows, observations) {
  const width = room(place, 1400);
  const right = width - 76;
  const when = ["before", "after 1 look", `after ${observations.toLocaleString("en")} looks`];
  const left = 112;
  const parts = [];
  let y = 4;
  for (const { who, chances, near, stale } of rows) {
    for (const said of wrapped(who, Math.floor(width / 7.2))) {
      parts.push(text(0, y + 13, said, "who"));
      y += 17;
    }
    y += 5;
    chances.forEach((said, k) => {
      if (near[k] === undefined) return;
      const length = (right - left) * near[k];
      parts.push(text(left - 8, y + 14, when[k], "tick end"), rect(left, y, right - left, 18, "track"),
        rect(left, y, length, 18, `bar${k ? "" : " before"}${stale ? " stale" : ""}`, { "data-chance": near[k] }), text(right + 8, y + 14, said, "value"));
      y += 24;
    });
    y += 10;
  }
  draw(place, `The chance of a right guess: ${rows.map((row) => `${row.who}: ${row.chances.join(", ")}`).join("; ")}`, Math.max(60, y), width, parts);
}

const box = (width, height, left = 46) => ({ left, right: width - 12, top: 24, bottom: height - 42 });
const path = (points) => `M${points.map((point) => point.map((at) => at.toFixed(1)).join(" ")).join("L")}`;

function inside(points, { left, right, top }) {
  return points.filter(([x, y]) => Number.isFinite(y) && x >= left - 1 && x <= right + 1 && y >= top - 200);
}

const NAME_WIDTH = 96; // of "the worst case", in pixels

/** The bounds that are drawn, in the order of their numbers. */
export const boundNames = (points) => [...new Set(points.flatMap((point) => Object.keys(point.bounds)))];

/** The worst case over all ε, with the published bounds as thin lines and today's ε. */
export function worst(place, { points, upto, epsilon, symbol, per, bits, marked, why }, pick) {
  const width = room(place), frame = box(width, 300);
  if (why) return place.replaceChildren(Object.assign(document.createElement("p"), { className: "why", textContent: why }));
  const most = 1.25 * Math.max(...points.map((point) => point.worst ?? 0), bits ?? 0) || 1;
  const x = scale(upto, frame.left, frame.right), y = scale(most, frame.bottom, frame.top);
  const clip = svg("clipPath", { id: "worst-clip" }, rect(frame.left, frame.top, frame.right - frame.left, frame.bottom - frame.top));
  const names = boundNames(points), height = names.length ? 312 : 300;
  const thin = names.map((each) => {
    const along = points.filter((point) => each in point.bounds).map((point) => [x(point.epsilon), y(point.bounds[each])]);
    const parted = svg("path", { d: path(along), class: `bound${each === marked ? " marked" : ""}`, "clip-path": "url(#worst-clip)" }, svg("title", {}, each));
    return along.length > 1 ? parted : "";
  });
  const ends = []; // where lines end or leave the picture, and which do so there
  names.forEach((each, k) => {
    const along = points.filter((point) => each in point.bounds).map((point) => [x(point.epsilon), y(point.bounds[each])]);
    const [left, high] = along.filter(([, above]) => above >= frame.top).at(-1) ?? along[0];
    const near = ends.find(([one, other]) => Math.abs(one - left) < 24 && Math.abs(other - high) < 14);
    if (near) near[1] = Math.min(near[1], high), near[2].push(k + 1);
    else ends.push([left, high, [k + 1]]);
  });
  const numbers = ends.map(([left, high, which]) => text(Math.min(left, frame.right - 4) - 4, Math.max(high, frame.top + 10) - 4, which.join(", "), "label of-bound end"));
  const legend = names.length ? [text(frame.left, 306, "green: published bounds, named below", "label of-bound")] : [];
  const along = inside(points.filter((point) => point.worst !== null).map((point) => [x(point.epsilon), y(point.worst)]), frame);
  const parts = [clip, ...axes(x, y, frame, [`${symbol} ${per}`, "bits"]), ...thin, svg("path", { d: along.length ? path(along) : "M0 0", class: "curve" }), ...numbers, ...legend];
  if (along.length) {
    const [end] = along.at(-1), [, lowest] = along.find(([left]) => left > end - NAME_WIDTH); // it rises: clear of where the name begins
    parts.push(text(end - 4, Math.min(frame.bottom - 6, lowest + 15), "the worst case", "label of-curve end"));
  }
  if (epsilon !== null && epsilon <= upto) parts.push(line(x(epsilon), frame.top, x(epsilon), frame.bottom, "today"), text(x(epsilon) + (epsilon > upto / 2 ? -5 : 5), frame.bottom - 6, `today’s ${symbol}`, `label ${epsilon > upto / 2 ? "end" : ""}`));
  if (bits !== null && epsilon !== null && epsilon <= upto) parts.push(svg("circle", { cx: x(epsilon), cy: y(bits), r: 5, class: "point", "data-bits": bits }));
  const drawing = draw(place, `The worst case against ${symbol}, up to ${symbol} = ${upto}${epsilon === null ? "" : `: at ${symbol} = ${epsilon} it is ${bits} bits`}`, height, width, parts.filter(Boolean));
  dragged(place, drawing, (event) => pick(Math.min(upto, x.value(at(drawing, event, width)[0]))));
}

/** The odds over ε, with a line that is dragged: which ε keeps them below? */
export function below(place, { points, upto, epsilon, symbol, per, observations, limit, chosen, start, sensitive }, move, step) {
  const width = room(place), height = 300, frame = box(width, height);
  const known = points.filter((point) => point.odds);
  const x = scale(upto, frame.left, frame.right), y = scale(1, frame.bottom, frame.top);
  const curve = (k) => known.filter((point) => point.odds[k] !== undefined).map((point) => [x(point.epsilon), y(point.odds[k])]);
  const parts = axes(x, y, frame, [`${symbol} ${per} of each release`, "chance of a right guess, at most"], true);
  if (known.length) {
    const before = y(known[0].odds[0]);
    parts.push(line(frame.left, before, frame.right, before, "start"), text(frame.right - 4, before + (before + 14 > frame.bottom ? -5 : 14), "before", "label end"));
    parts.push(svg("path", { d: path(curve(1)), class: "curve" }));
    if (observations > 1) parts.push(svg("path", { d: path(curve(2)), class: "curve often" }));
    const rising = known.filter(({ belief }) => belief !== null).map(({ epsilon: each, belief }) => [x(each), y(belief)]);
    if (rising.length > 1) parts.push(svg("path", { d: path(rising), class: "curve belief" }));
    const named = (along, said, share) => {
      const found = along[Math.floor(along.length * share)];
      if (!found) return;
      const under = found[1] + (found[1] + 16 > frame.bottom ? -8 : 16), struck = Math.abs(under - 4 - y(limit)) < 12; // by the line that is dragged
      parts.push(text(found[0] + 6, struck ? y(limit) + 16 : under, said, "label"));
    };
    if (rising.length > 1) {
      const said = cut(`belief in ${sensitive}, 1 look`, 32); // it rises: clear on its right below, or on its left above
      const [low, high] = [0.35, 0.75].map((share) => rising[Math.floor(share * rising.length)]);
      parts.push(low[1] + 20 < frame.bottom ? text(low[0] + 8, low[1] + 16, said, "label of-bound") : text(high[0] - 4, high[1] - 8, said, "label of-bound end"));
    }
    named(curve(1), "1 look", 0.45);
    if (observations > 1) named(curve(2), `${observations.toLocaleString("en")} looks`, 0.08);
  }
  if (epsilon !== null && epsilon <= upto) parts.push(line(x(epsilon), frame.top, x(epsilon), frame.bottom, "today"));
  if (chosen !== null && chosen <= upto) parts.push(line(x(chosen), y(limit), x(chosen), frame.bottom, "chosen"), svg("circle", { cx: x(chosen), cy: y(limit), r: 5, class: "point" }));
  const said = `${Math.round(1000 * limit) / 10}%`;
  const handle = svg("g", {
    class: "handle", tabindex: 0, role: "slider", "aria-label": "The chance that a guess shall not exceed",
    "aria-valuemin": Math.round(100 * start), "aria-valuemax": 99, "aria-valuenow": Math.round(100 * limit), "aria-valuetext": said,
    onkeydown: (event) => {
      const by = { ArrowUp: 0.01, ArrowRight: 0.01, ArrowDown: -0.01, ArrowLeft: -0.01, PageUp: 0.1, PageDown: -0.1 }[event.key];
      if (!by) return;
      event.preventDefault();
      step(by);
    },
  }, line(frame.left, y(limit), frame.right, y(limit), "limit"), line(frame.left, y(limit), frame.right, y(limit), "hit"),
  rect(frame.right - 58, y(limit) - 20, 56, 17, "flag"), text(frame.right - 30, y(limit) - 7, said, "flag-text middle"));
  parts.push(handle);
  const drawing = draw(place, `The chance of a right guess against ε; the line is at ${said}`, height, width, parts, true);
  dragged(place, drawing, (event) => move(Math.round(100 * Math.min(0.99, Math.max(start, y.value(at(drawing, event, width)[1])))) / 100));
}

/** Where the pointer is, in the units of a drawing. */
function at(drawing, event, width) {
  const frame = drawing.getBoundingClientRect();
  const unit = width / frame.width;
  return [(event.clientX - frame.left) * unit, (event.clientY - frame.top) * unit];
}

let moving = null;
addEventListener("pointermove", (event) => moving?.follow(event));
addEventListener("pointerup", () => { moving = null; });
addEventListener("pointercancel", () => { moving = null; });

/** Follow the pointer from where it goes down on a drawing, even if that is drawn anew in its place. */
function dragged(place, drawing, follow) {
  drawing.addEventListener("pointerdown", (event) => {
    event.preventDefault();
    moving = { place, follow };
    follow(event);
  });
  if (moving?.place === place) moving.follow = follow;
}

/** The mechanism: a row for each input, darker where an output is likelier. A column is picked. */
export function heatMap(place, mechanism, picked, pick) {
  const { inputs, outputs, matrix, marked } = mechanism;
  const width = room(place);
  const longest = Math.min(14, Math.max(...inputs.map((each) => each.length)));
  const left = 20 + 6.6 * longest;
  const side = (width - left - 2) / outputs.length;
  const row = Math.max(10, Math.min(34, side, 420 / inputs.length));
  const turned = Math.max(...outputs.map((each) => each.length)) * 6.6 > side;
  const shortest = Math.min(12, Math.max(...outputs.map((each) => each.length)));
  const top = 20 + (turned ? 7.4 * shortest + 4 : 14);
  const most = Math.max(...matrix.flat());
  const every = Math.ceil(12 / Math.min(side, row * 2));
  const parts = [text(left + (side * outputs.length) / 2, 11, "output", "label middle"), text(0, top - 6, "input", "label")];
  inputs.forEach((each, k) => {
    if (row >= 11 || k % 2 === 0) parts.push(text(left - 6, top + (k + 0.5) * row + 4, cut(each, longest), "tick end"));
  });
  outputs.forEach((output, z) => {
    const x = left + z * side;
    const cells = inputs.map((_, k) => rect(x + 0.5, top + k * row + 0.5, side - 1, row - 1, "cell", { "fill-opacity": (matrix[k][z] / most).toFixed(3), "data-chance": matrix[k][z] }));
    const numbers = side > 34 && row > 14 ? inputs.map((_, k) => text(x + side / 2, top + (k + 0.5) * row + 4, matrix[k][z].toPrecision(2), `entry middle${matrix[k][z] > 0.55 * most ? " light" : ""}`)) : [];
    const head = z % every ? "" : turned
      ? text(0, 0, cut(output, 12), "tick", { transform: `translate(${x + side / 2 + 4} ${top - 4}) rotate(-90)` })
      : text(x + side / 2, top - 6, output, "tick middle");
    parts.push(svg("g", {
      class: `column${z === picked ? " picked" : ""}`, role: "button", tabindex: z === picked ? 0 : -1, "aria-pressed": z === picked,
      "aria-label": `output ${output}`, "data-output": output, onclick: () => pick(z),
      onkeydown: (event) => {
        const by = { ArrowRight: 1, ArrowLeft: -1, ArrowDown: 1, ArrowUp: -1 }[event.key];
        if (!by) return;
        event.preventDefault();
        pick((z + by + outputs.length) % outputs.length);
      },
    }, rect(x, 14, side, top - 14, "hit"), head, ...cells, ...numbers, rect(x, top, side, row * inputs.length, "frame"), svg("title", {}, `output ${output}`)));
  });
  if (marked) for (const k of marked.slice(0, 2)) parts.push(rect(left + marked[2] * side + 1, top + k * row + 1, side - 2, row - 2, "extreme"));
  draw(place, `The mechanism: the probability of each of ${outputs.length} outputs for each of ${inputs.length} inputs`, top + row * inputs.length + 4, width, parts.filter(Boolean), true);
}

/** What is believed of each input before and after an output. */
export function posterior(place, inputs, before, after) {
  const width = room(place);
  const longest = Math.min(16, Math.max(...inputs.map((each) => each.length)));
  const left = 14 + 6.8 * longest, right = width - 52;
  const row = Math.max(13, Math.min(36, 460 / inputs.length));
  const thick = row / 2 - 2;
  const most = Math.max(...before, ...after);
  const parts = [];
  inputs.forEach((each, k) => {
    const y = 4 + k * row;
    const length = (chance) => ((right - left) * chance) / most;
    parts.push(text(left - 6, y + row / 2 + 3, cut(each, longest), "tick end"));
    parts.push(rect(left, y, length(before[k]), thick, "bar before"), rect(left, y + thick + 1, length(after[k]), thick, "bar"));
    if (row > 29) parts.push(text(left + length(before[k]) + 5, y + thick - 2, percent(before[k]), "tick"));
    parts.push(text(left + length(after[k]) + 5, y + 2 * thick - 1, percent(after[k]), "tick"));
  });
  const height = 4 + row * inputs.length;
  parts.push(rect(left, height + 8, 10, 10, "bar before"), text(left + 15, height + 17, "before", "tick"));
  parts.push(rect(left + 70, height + 8, 10, 10, "bar"), text(left + 85, height + 17, "after", "tick"));
  draw(place, `What is believed of ${inputs.length} inputs before and after the output`, height + 24, width, parts);
}

/** A chance as it is read; only 1 is 100%, and only 0 is 0%. */
export function percent(chance) {
  const rounded = (100 * chance).toPrecision(3);
  if (chance < 1 && +rounded >= 100) return "> 99.9%";
  return `${+rounded}%`;
}
