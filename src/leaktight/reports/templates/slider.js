"use strict";
// The worst case of one record at any ε, from the formulas in the page. Nothing is fetched.
for (const box of document.querySelectorAll(".epsilon-slider")) {
  const known = JSON.parse(box.querySelector("script").textContent);
  const svg = "http://www.w3.org/2000/svg";
  const find = (part) => box.querySelector("." + part);
  const input = box.querySelector("input");
  const at = (coefficients, q) => coefficients.reduceRight((sum, c) => sum * q + c, 0);

  const worst = (epsilon) => {
    const ratio = Math.exp(epsilon);
    const piece = known.pieces.find((p) => p.upper === null || ratio <= p.upper);
    return at(piece.numerator, 1 / ratio) / at(piece.denominator, 1 / ratio);
  };
  // What is not a short number, to the 9 digits that floating point is trusted with here, is rounded up.
  const up = (x, digits) => {
    const near = Number(x.toPrecision(digits));
    if (near >= x * (1 - 1e-9)) return near.toLocaleString("en", { maximumSignificantDigits: digits });
    const unit = 10 ** (Math.floor(Math.log10(x)) + 1 - digits);
    return (Math.ceil(x / unit) * unit).toLocaleString("en", { maximumSignificantDigits: digits });
  };

  // --- the curve ---
  const wide = 340, high = 150, left = 34, right = 16, low = 26, most = known.stops[known.stops.length - 1].epsilon;
  const top = Math.log2(worst(most)) * 1.1 || 1;
  const x = (epsilon) => left + (epsilon / most) * (wide - left - right);
  const y = (bits) => high - (bits / top) * (high - 8);
  const draw = (parent, tag, attributes, text) => {
    const made = parent.appendChild(document.createElementNS(svg, tag));
    for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
    if (text !== undefined) made.textContent = text;
    return made;
  };
  const picture = draw(find("curve"), "svg", {
    viewBox: `0 0 ${wide} ${high + low}`, width: wide + "pt", role: "img", "font-size": 9,
    "aria-label": "The worst case in bits against ε, with a mark at the ε of the slider",
  });
  const ink = "#1f2933", line = "#e4e7eb", blue = "#0072b2", red = "#d55e00";
  const ticks = (end) => { // round numbers from 0 on
    const power = 10 ** Math.floor(Math.log10(end / 5)), step = [1, 2, 5, 10].find((k) => k * power >= end / 5) * power;
    return Array.from({ length: Math.floor(end / step * 1.0001) + 1 }, (_, k) => +(k * step).toPrecision(6));
  };
  for (const bits of ticks(top)) {
    draw(picture, "line", { x1: left, x2: wide - right, y1: y(bits), y2: y(bits), stroke: line });
    draw(picture, "text", { x: left - 4, y: y(bits) + 3, "text-anchor": "end", fill: ink }, bits);
  }
  for (const epsilon of ticks(most)) draw(picture, "text", { x: x(epsilon), y: high + 12, "text-anchor": "middle", fill: ink }, epsilon);
  draw(picture, "text", { x: (left + wide) / 2, y: high + 24, "text-anchor": "middle", fill: ink }, "ε");
  draw(picture, "text", { x: 2, y: high + 12, fill: ink }, "bits");
  const curve = Array.from({ length: 101 }, (_, k) => (most * k) / 100);
  const points = curve.map((e) => `${x(e).toFixed(1)},${y(Math.log2(worst(e))).toFixed(1)}`).join(" ");
  draw(picture, "polyline", { points, fill: "none", stroke: blue, "stroke-width": 2 });
  if (known.asked !== null) {
    const stroke = { stroke: ink, "stroke-dasharray": "6 2 1 2", "stroke-width": 0.8 };
    draw(picture, "line", { x1: x(known.asked), x2: x(known.asked), y1: 0, y2: high, ...stroke });
  }
  const mark = draw(picture, "circle", { r: 5, fill: red, stroke: ink });

  // --- what moves ---
  const cells = box.querySelectorAll(".cell"), chances = box.querySelectorAll(".chance");
  const moved = (to) => {
    const epsilon = typeof to === "number" ? to : Number(input.value), value = worst(epsilon), bits = Math.log2(value);
    mark.setAttribute("cx", x(epsilon));
    mark.setAttribute("cy", y(bits));
    find("epsilon").textContent = up(epsilon, 4);
    find("ratio").textContent = up(Math.exp(epsilon), 4);
    find("bits").textContent = up(bits, 4);
    find("odds").textContent = Math.floor(1000 / value + 1e-9).toLocaleString("en");
    // A chance grows with ε: that of the next ε which was computed is not below it.
    const stop = known.stops.find((s) => s.epsilon >= epsilon - 1e-9) || known.stops[known.stops.length - 1];
    const bars = [known.before, ...stop.after];
    box.querySelectorAll(".bar").forEach((bar, k) => {
      bar.querySelector("span").style.width = 100 * bars[k].near + "%";
      bar.querySelector("b").textContent = bars[k].shown;
    });
    if (!cells.length) return;
    const near = known.stops.reduce((a, b) => (Math.abs(b.epsilon - epsilon) < Math.abs(a.epsilon - epsilon) ? b : a));
    find("stop").textContent = up(near.epsilon, 4);
    const entries = near.best.flat(), strongest = Math.max(...entries);
    if (find("most")) find("most").textContent = Number(strongest.toPrecision(2));
    entries.forEach((entry, k) => {
      cells[k].setAttribute("fill-opacity", entry / strongest);
      if (!chances.length) return;
      chances[k].textContent = Number(entry.toPrecision(2));
      chances[k].setAttribute("fill", entry > known.strong * strongest ? known.letters[1] : known.letters[0]);
    });
  };
  input.addEventListener("input", moved);
  moved(known.asked === null ? 1 : known.asked);
  box.hidden = false;
}
