// What if? The study as it was, beside the study as it is.

import { html } from "./svg.js";

let kept = null; // { study, rows } of the study that stays

/** What is compared of an answer: rows of a name and what is said there. */
export function rowsOf({ audit, said, odds }, looks) {
  const after = [...(looks?.odds ?? []), ...odds].map(({ who, chances: [before, once, often] }) => [
    who, [`${before} → ${once}`, often && often !== "–" ? `${often} after ${audit.question.observations.toLocaleString("en")}` : ""].filter(Boolean).join(", ")]);
  return new Map([
    ["what must be kept", audit.question.asked ?? "–"],
    ["released", audit.mechanism?.name ?? "–"],
    ["verdict", audit.verdict.line],
    ...after,
    ["any mechanism leaks", said.worst ?? "–"],
    ...(said.this === undefined ? [] : [[said.error, said.this]]),
  ]);
}

export const isOn = () => kept !== null;

/** Keep a study, or none, to compare others with it. */
export function keep(study, rows) {
  kept = study && { study: structuredClone(study), rows };
}

/** Show the kept study and the present one in two columns; `back` makes the kept one the present. */
export function show(place, study, rows, back, done) {
  place.hidden = kept === null;
  if (kept === null) return;
  const names = [...new Set([...kept.rows.keys(), ...rows.keys()])];
  const line = (name) => {
    const [was, is] = [kept.rows.get(name) ?? "–", rows.get(name) ?? "–"];
    return html("tr", { className: was === is ? "" : "other" }, html("th", { scope: "row" }, name), html("td", {}, was), html("td", {}, is));
  };
  place.querySelector(".scroll").replaceChildren(html("table", {},
    html("thead", {}, html("tr", {}, html("th", {}, ""), html("th", { scope: "col" }, `kept: ${kept.study.title}`), html("th", { scope: "col" }, `now: ${study.title}`))),
    html("tbody", {}, ...names.map(line))));
  place.querySelector(".row").replaceChildren(
    html("button", { type: "button", id: "compare-back", onclick: () => back(structuredClone(kept.study)) }, "Back to the kept one"),
    html("button", { type: "button", id: "compare-done", onclick: () => { keep(null); done(); } }, "Stop comparing"));
}
