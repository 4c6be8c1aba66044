// Drawing with SVG, and taking a picture away as a file.

const SPACE = "http://www.w3.org/2000/svg";

/** Make an SVG element. */
export function svg(tag, attributes = {}, ...children) {
  const made = document.createElementNS(SPACE, tag);
  for (const [key, value] of Object.entries(attributes)) {
    if (key.startsWith("on")) made.addEventListener(key.slice(2), value);
    else if (value !== undefined && value !== null && value !== false) made.setAttribute(key, value);
  }
  made.append(...children);
  return made;
}

/** Make an HTML element. */
export function html(tag, properties = {}, ...children) {
  const made = document.createElement(tag);
  for (const [key, value] of Object.entries(properties)) {
    if (key.includes("-") || key === "role" || key === "for" || key === "list") made.setAttribute(key, value);
    else made[key] = value;
  }
  made.append(...children.filter((child) => child !== null && child !== undefined));
  return made;
}

/** Put a drawing into its place, and keep the focus if it is there; `width` is its room. */
export function draw(place, title, height, width, children, interactive = false) {
  const drawing = svg("svg", {
    viewBox: `0 0 ${width} ${height}`, width, height, role: interactive ? "group" : "img", "aria-label": title,
  }, ...children);
  const focused = place.contains(document.activeElement);
  place.replaceChildren(drawing);
  if (focused) drawing.querySelector('[tabindex="0"]')?.focus();
  return drawing;
}

const widths = new Map();
addEventListener("resize", () => widths.clear(), { capture: true });

/** The room for a picture, in pixels; to ask the browser for it at each move would take long. */
export function room(place, most = 720) {
  if (!widths.has(place)) widths.set(place, place.clientWidth);
  return Math.max(240, Math.min(most, Math.floor(widths.get(place))));
}

export const line = (x1, y1, x2, y2, kind, more) => svg("line", { x1, y1, x2, y2, class: kind, ...more });
export const rect = (x, y, width, height, kind, more) => svg("rect", { x, y, width: Math.max(0, width), height, class: kind, ...more });
export const text = (x, y, said, kind, more) => svg("text", { x, y, class: kind, ...more }, said);

/** Cut a name that has no room; all of it is under the mouse. */
export function cut(said, letters) {
  return said.length > letters ? `${said.slice(0, Math.max(1, letters - 1))}…` : said;
}

const SIDES = [[0, -1], [1, 0], [-1, 0], [0, 1], [1, -1], [-1, -1], [1, 1], [-1, 1]]; // where a name may stand, best first

/** A name beside each dot, where it covers as little as possible of dots, names and lines. */
export function labels(names, places, width, height, pairs = []) {
  const taken = places.map(([x, y]) => [x - 7, y - 7, x + 7, y + 7]);
  for (const [[a, b], [c, d]] of pairs.map((pair) => pair.map((k) => places[k]))) {
    for (let part = 0.1; part < 1; part += 0.1) {
      const [x, y] = [a + part * (c - a), b + part * (d - b)];
      taken.push([x, y, x, y]);
    }
  }
  const covered = ([a, b, c, d]) => taken.filter(([e, f, g, h]) => a < g && e < c && b < h && f < d).length
    + (a < 1 || b < 1 || c > width - 1 || d > height - 1 ? 3 : 0);
  return names.map((said, k) => {
    const [wide, high] = [3.7 * said.length + 3, 7];
    const boxes = SIDES.map(([east, south]) => {
      const [x, y] = [places[k][0] + east * (wide + (south ? 8 : 9)), places[k][1] + south * (high + (east ? 3 : 9))];
      return [x - wide, y - high, x + wide, y + high];
    });
    const costs = boxes.map(covered);
    const best = boxes[costs.indexOf(Math.min(...costs))];
    taken.push(best);
    return text((best[0] + best[2]) / 2, best[3] - 3, said, "name middle");
  });
}

/** A scale from numbers to pixels, with round numbers for its ticks. */
export function scale(most, from, to) {
  const at = (value) => from + ((to - from) * value) / (most || 1);
  const rough = (most || 1) / 5;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((k) => k * power).find((each) => each >= rough);
  const ticks = [];
  for (let k = 0; k * step <= most * 1.0001; k += 1) ticks.push(+(k * step).toPrecision(6));
  return Object.assign(at, { most, ticks, value: (pixel) => (most * (pixel - from)) / (to - from) });
}

/** Axes with their ticks. */
export function axes(x, y, box, labels, percent) {
  const { left, right, top, bottom } = box;
  const marks = [];
  for (const tick of y.ticks) {
    marks.push(line(left, y(tick), right, y(tick), "grid"));
    marks.push(text(left - 6, y(tick) + 4, percent ? `${Math.round(100 * tick)}%` : tick.toLocaleString("en"), "tick end"));
  }
  for (const tick of x.ticks) marks.push(text(x(tick), bottom + 16, tick, "tick middle"));
  marks.push(line(left, bottom, right, bottom, "axis"), line(left, top, left, bottom, "axis"));
  marks.push(text((left + right) / 2, bottom + 32, labels[0], "label middle"));
  marks.push(text(left - 40, top - 8, labels[1], "label"));
  return marks;
}

// --- a picture as a file -----------------------------------------------------------------------

const KEPT = ["fill", "fill-opacity", "stroke", "stroke-width", "stroke-dasharray", "stroke-opacity",
  "opacity", "paint-order", "font-family", "font-size", "font-weight", "text-anchor"];

/** The picture as an SVG file that needs no style sheet. */
function alone(drawing) {
  const copy = drawing.cloneNode(true);
  const here = [drawing, ...drawing.querySelectorAll("*")];
  [copy, ...copy.querySelectorAll("*")].forEach((element, k) => {
    const style = getComputedStyle(here[k]);
    for (const key of KEPT) element.setAttribute(key, style.getPropertyValue(key));
    for (const key of ["class", "tabindex", "style"]) element.removeAttribute(key);
  });
  copy.prepend(svg("rect", { width: "100%", height: "100%", fill: getComputedStyle(document.body).getPropertyValue("--card") }));
  copy.setAttribute("xmlns", SPACE);
  return new XMLSerializer().serializeToString(copy);
}

export function take(name, content, type) {
  const link = html("a", { href: URL.createObjectURL(new Blob([content], { type })), download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}

export async function takePicture(drawing, name, png) {
  const content = alone(drawing);
  if (!png) return take(`${name}.svg`, content, "image/svg+xml");
  const image = new Image();
  image.src = URL.createObjectURL(new Blob([content], { type: "image/svg+xml" }));
  await image.decode();
  const canvas = html("canvas", { width: 2 * drawing.width.baseVal.value, height: 2 * drawing.height.baseVal.value });
  canvas.getContext("2d").drawImage(image, 0, 0, canvas.width, canvas.height);
  URL.revokeObjectURL(image.src);
  canvas.toBlob((blob) => take(`${name}.png`, blob, "image/png"));
}
