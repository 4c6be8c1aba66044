// The fields of the study: which values, how many records, what is public, what is asked.

import * as graph from "./graph.js";
import * as map from "./map.js";
import { change, keepBeliefs, name, read, shown, study, tell } from "./study.js";
import { html } from "./svg.js";

const KINDS = {
  complete: "every two values", line: "each value and the next", cycle: "in a circle", threshold: "values at most θ apart",
  partition: "within groups", grid: "a grid, one step apart", attributes: "several attributes", edges: "the pairs that are drawn",
};
const DISTANCES = {
  euclidean: "points, straight distances", manhattan: "points, along streets", haversine: "latitudes and longitudes", lengths: "lengths of edges", matrix: "a table of distances",
};
const GAINS = { guess: "right or wrong", distance: "steps in the graph", difference: "difference", squared: "squared difference" };

let number = 0;

/** A field with its label above. */
function field(label, input, hint) {
  input.id ||= `field-${(number += 1)}`;
  return html("p", { className: "field" }, html("label", { for: input.id }, label), input, hint ? html("span", { className: "hint" }, hint) : null);
}

function select(id, options, value, pick) {
  const made = html("select", { id, onchange: () => pick(made.value) }, ...choices(options, value));
  return made;
}

const choices = (options, value) => Object.entries(options).map(([key, said]) => html("option", { value: key, selected: key === value }, said));

function input(id, value, edit, more = {}) {
  const made = html("input", { id, type: "text", value, ...more });
  made.oninput = () => edit(made.value, made);
  return made;
}

const button = (id, said, press, more = {}) => html("button", { id, type: "button", onclick: press, ...more }, said);

/** A field for a whole number; until one is typed, what was there holds, and that is said. */
function whole(id, label, value, edit) {
  return input(id, String(value), (typed, made) => {
    const found = Number(typed.replaceAll(/[, _]/g, ""));
    const right = Number.isSafeInteger(found) && found > 0;
    made.setAttribute("aria-invalid", !right);
    if (right) change((next) => edit(next, found), true);
    else if (typed.trim()) tell(`${label} must be a whole number from 1 up; it is still ${value.toLocaleString("en")}.`);
  }, { inputMode: "numeric" });
}

const lines = (typed) => typed.split("\n").map((each) => each.trim()).filter(Boolean);
const parts = (typed) => typed.split(",").map((each) => each.trim()).filter(Boolean).map(read);

function textarea(id, content, edit) {
  const made = html("textarea", { id, value: content, rows: Math.max(3, Math.min(8, content.split("\n").length)), spellcheck: false });
  made.oninput = () => edit(made.value);
  return made;
}

// --- who must not be told apart --------------------------------------------------------------------

export function secrets(values) {
  const { policy } = study;
  const kind = graph.kindOf(policy);
  const { matrix, ...others } = DISTANCES;
  const kinds = select("kind", {}, kind, graph.setKind);
  kinds.append(html("optgroup", { label: "A pair is secret or not" }, ...choices(KINDS, kind)),
    html("optgroup", { label: "The nearer, the harder to tell apart" }, ...choices(kind === "matrix" ? DISTANCES : others, kind)));
  const made = [field("What is secret?", kinds)];
  if (kind === "threshold") made.push(theta(policy, values));
  if (policy.metric) made.push(...distances(policy));
  else if (graph.listed(policy)) {
    made.push(field("Values, one in a line", textarea("values", graph.valuesOf(policy).map(shown).join("\n"), (typed) => {
      change(({ policy: next, question }) => {
        const before = graph.valuesOf(next);
        next.values = lines(typed).map(read);
        const known = new Set(next.values.map((value) => JSON.stringify(value)));
        next.edges &&= next.edges.filter((pair) => pair.every((value) => known.has(JSON.stringify(value))));
        if (next.absent === undefined) keepBeliefs(question, before, next.values);
        else delete question.prior;
      }, true);
    })));
  } else if (kind === "partition") {
    made.push(field("Groups, one in a line", textarea("groups", policy.groups.map((group) => group.map(shown).join(", ")).join("\n"), (typed) => {
      change(({ policy: next, question }) => {
        next.groups = lines(typed).map(parts);
        delete question.prior;
      }, true);
    }), "values separated by commas"));
  } else if (kind === "grid") made.push(sides(policy));
  else made.push(...attributes(policy));
  if (graph.listed(policy) || kind === "partition") made.push(another("another value", "Another value", (typed) => graph.add(read(typed)), graph.removeChosen));
  return made;
}

function sides(policy) {
  const written = policy.sides.map((side) => (Array.isArray(side) ? side.map(shown).join(", ") : side)).join("\n");
  return field("Sides, one in a line", textarea("sides", written, (typed) => {
    change(({ policy: next, question }) => {
      next.sides = lines(typed).map((each) => (/^\d+$/.test(each) ? Number(each) : parts(each)));
      delete question.prior;
    }, true);
  }), "how many points, or their names");
}

/** A field to add a value, and a button to remove the chosen one. */
function another(placeholder, label, add, remove) {
  const typed = input("new-value", "", () => {}, { placeholder, "aria-label": label });
  const press = () => {
    const value = typed.value.trim();
    typed.value = "";
    if (value) add(value);
  };
  typed.onkeydown = (event) => { if (event.key === "Enter") press(); };
  return html("p", { className: "row" }, typed, button("add-value", "Add", press), button("remove-value", "Remove chosen", remove));
}

/** Points, lengths or a table as text, and what a distance of 1 is called. */
function distances(policy) {
  const list = (content) => content.map((row) => row.map(shown).join(", ")).join("\n");
  const listing = (label, key, hint) => field(label, textarea(key, list(policy[key]), (typed) => {
    change((next) => {
      next.policy[key] = lines(typed).map(parts);
      if (key === "edges") delete next.policy.values; // they are the ends
      delete next.question.prior;
    }, true);
  }), hint);
  const made = [];
  if (policy.metric === "edges") made.push(listing("Edges, one in a line", "edges", "two values and the length"));
  else if (policy.metric === "matrix") made.push(listing("Distances, a row in a line", "distances", "separated by commas"));
  else if (policy.sides) made.push(sides(policy));
  else {
    const order = policy.metric === "haversine" ? "a name: latitude, longitude" : "a name: coordinates; or coordinates alone";
    made.push(field("Points, one in a line", textarea("points", map.written(policy), (typed) => change((next) => map.setWritten(next, typed), true)), order));
  }
  if (policy.values && policy.metric === "matrix") {
    made.push(field("Values, one in a line", textarea("values", policy.values.map(shown).join("\n"), (typed) => {
      change((next) => { next.policy.values = lines(typed).map(read); }, true);
    })));
  }
  if (map.isMap(policy)) made.push(another("another point", "Another point", map.addWritten, map.removeChosen));
  made.push(field("A distance of 1 is called", input("unit", policy.unit ?? (policy.metric === "haversine" ? "km" : ""), (typed) => {
    change((next) => {
      if (typed.trim()) next.policy.unit = typed.trim();
      else delete next.policy.unit;
    }, true);
  }), "ε is for this distance"));
  return made;
}

function theta(policy, values) {
  const numbers = values.every((value) => typeof value === "number") ? values : values.map((_, k) => k);
  const most = Math.max(...numbers) - Math.min(...numbers) || 1;
  const gaps = [...numbers].sort((a, b) => a - b).map((each, k, all) => (k ? each - all[k - 1] : Infinity)).filter((gap) => gap > 0);
  const step = Math.min(1, ...gaps.map((gap) => +gap.toPrecision(3)));
  const told = html("output", { id: "theta-told" }, `θ = ${policy.distance}`);
  const made = html("input", { id: "theta", type: "range", min: 0, max: most, step, value: policy.distance });
  made.oninput = () => {
    told.textContent = `θ = ${made.value}`;
    change((next) => { next.policy.distance = Number(made.value); }, true);
  };
  return html("p", { className: "field" }, html("label", { for: "theta" }, "θ, how far apart at most"), made, told);
}

function attributes(policy) {
  const made = Object.entries(policy.attributes).map(([key, given], k) => {
    const table = Array.isArray(given) ? { values: given } : given;
    const kinds = { complete: KINDS.complete, line: KINDS.line, cycle: KINDS.cycle };
    if (table.secrets && !(table.secrets in kinds)) kinds[table.secrets] = KINDS[table.secrets];
    const edit = (how, moving = true) => change((next) => {
      const now = next.policy.attributes[key];
      next.policy.attributes[key] = how(Array.isArray(now) ? { values: now } : now);
      delete next.question.prior;
      delete next.policy.constraints;
    }, moving);
    const listing = Array.isArray(table.values) ? table.values.map(shown).join(", ") : table.values ?? "";
    return html("fieldset", {}, html("legend", {}, key),
      field("Values", input(`attribute-${k}`, listing, (typed) => edit((now) => ({ ...now, values: parts(typed) }))), "separated by commas"),
      field("Secret pairs", select(`attribute-kind-${k}`, kinds, table.secrets ?? "complete", (kind) => edit((now) => ({ ...now, secrets: kind }), false))),
      button(`attribute-remove-${k}`, `Remove ${key}`, () => change((next) => {
        delete next.policy.attributes[key];
        for (const each of Object.keys(next.policy.margins ?? {})) if (each.split(",").some((one) => one.trim() === key)) delete next.policy.margins[each];
        delete next.question.prior;
        delete next.policy.constraints;
      }), { disabled: Object.keys(policy.attributes).length < 2 }));
  });
  const called = input("new-attribute", "", () => {}, { placeholder: "another attribute", "aria-label": "Another attribute" });
  const add = () => called.value.trim() && change((next) => {
    next.policy.attributes[called.value.trim()] = ["no", "yes"];
    delete next.question.prior;
    delete next.policy.constraints;
  });
  called.onkeydown = (event) => { if (event.key === "Enter") add(); };
  made.push(html("p", { className: "row" }, called, button("add-attribute", "Add", add)));
  made.push(field("Neighbours differ in", select("differ", { one: "one attribute", all: "any number of attributes" }, policy.differ ?? "one",
    (differ) => change((next) => { next.policy.differ = differ; }))));
  return made;
}

// --- what is public ----------------------------------------------------------------------------------

export function publicly(values, folded) {
  const { policy } = study;
  const made = [field("Records", whole("records", "Records", policy.records ?? 1, (next, n) => { next.policy.records = n; }))];
  if (!folded) (policy.constraints ?? []).forEach((each, k) => made.push(constraint(each, k, values)));
  for (const [key, numbers] of Object.entries(policy.margins ?? {})) made.push(margin(key, numbers));
  if (policy.databases) made.push(html("p", { className: "hint" }, `Only ${policy.databases.length} databases are possible.`));
  const buttons = [];
  if (!policy.databases && !policy.metric && !folded) {
    buttons.push(button("add-count", "A count is public", () => change((next) => {
      next.policy.constraints = [...(next.policy.constraints ?? []), { values: [values[0]], equals: 1 }];
    })));
  }
  for (const [key, given] of Object.entries(policy.attributes ?? {})) {
    const listing = Array.isArray(given) ? given : given.values;
    if (Array.isArray(listing) && !(policy.margins && key in policy.margins)) {
      buttons.push(button(`add-margin-${key}`, `The table of ${key} is public`, () => change((next) => {
        const records = next.policy.records ?? 1;
        const share = Math.floor(records / listing.length);
        const numbers = Object.fromEntries(listing.map((value, k) => [name(value), k ? share : records - share * (listing.length - 1)]));
        next.policy.margins = { ...next.policy.margins, [key]: numbers };
      })));
    }
  }
  made.push(html("p", { className: "row" }, ...buttons));
  if (policy.records > 1 || policy.constraints || policy.margins) made.push(html("p", { className: "hint" }, "What everybody knows of all records together: counts that were published, for instance."));
  return made;
}

function constraint(given, k, values) {
  const kind = ["equals", "at_least", "at_most"].find((key) => key in given);
  const edit = (how, moving = false) => change((next) => how(next.policy.constraints[k]), moving);
  const boxes = values.map((value, at) => {
    const box = html("input", { type: "checkbox", id: `count-${k}-${at}`, checked: given.values.some((one) => JSON.stringify(one) === JSON.stringify(value)) });
    box.onchange = () => edit((next) => {
      next.values = values.filter((_, each) => document.getElementById(`count-${k}-${each}`).checked);
    });
    return html("label", { className: "box" }, box, ` ${name(value)}`);
  });
  const how = select(`count-how-${k}`, { equals: "exactly", at_least: "at least", at_most: "at most" }, kind, (next) => edit((each) => {
    const n = each[kind];
    delete each[kind];
    each[next] = n;
  }));
  how.setAttribute("aria-label", "How many");
  const many = input(`count-many-${k}`, String(given[kind]), (typed) => {
    if (/^\d+$/.test(typed)) edit((each) => { each[kind] = Number(typed); }, true);
  }, { inputMode: "numeric", size: 7, "aria-label": "Number of records" });
  return html("fieldset", {}, html("legend", {}, "A public count"), html("p", { className: "row" }, how, many, "records have one of"),
    html("p", { className: "boxes" }, ...boxes), button(`count-remove-${k}`, "Remove", () => change((next) => {
      next.policy.constraints.splice(k, 1);
      if (!next.policy.constraints.length) delete next.policy.constraints;
    }), { "aria-label": `Remove the public count of ${given.values.map(name).join(", ")}` }));
}

function margin(key, numbers) {
  const cells = Object.entries(numbers).map(([category, n], k) => field(category, input(`margin-${key}-${k}`, String(n), (typed) => {
    if (/^\d+$/.test(typed)) change((next) => { next.policy.margins[key][category] = Number(typed); }, true);
  }, { inputMode: "numeric", size: 8 })));
  return html("fieldset", {}, html("legend", {}, `A public table: ${key}`), html("div", { className: "cells" }, ...cells),
    button(`margin-remove-${key}`, "Remove", () => change((next) => {
      delete next.policy.margins[key];
      if (!Object.keys(next.policy.margins).length) delete next.policy.margins;
    }), { "aria-label": `Remove the public table of ${key}` }));
}

// --- what is asked -----------------------------------------------------------------------------------

/** With distances these are what an error costs; points that have names have no difference. */
function gains() {
  if (!study.policy.metric) return GAINS;
  const { guess, ...others } = { ...GAINS, distance: "the distance" };
  return Array.isArray(study.policy.points) || study.policy.sides ? { guess, ...others } : { guess, distance: others.distance };
}

/** The fields of a mechanism's own keys, as the registry has them. */
function keysOf({ keys, note }, mechanism) {
  const edit = (key, value) => change((next) => {
    if (value === null) delete next.mechanism[key];
    else next.mechanism[key] = value;
  }, true);
  const made = keys.map(({ name: key, kind, means }) => {
    if (kind === "truth") {
      const box = html("input", { type: "checkbox", id: `key-${key}`, checked: Boolean(mechanism[key]) });
      box.onchange = () => edit(key, box.checked);
      return html("p", { className: "field" }, html("label", { className: "box" }, box, ` ${key}: ${means}`));
    }
    const said = mechanism[key] === undefined ? "" : kind === "list of tables" ? JSON.stringify(mechanism[key]) : String(mechanism[key]);
    return field(key, input(`key-${key}`, said, (typed) => edit(key, typed.trim() ? read(typed.trim()) : null)), means);
  });
  if (note) made.push(html("p", { className: "hint" }, note));
  return made;
}

/** What is believed of so many values that they have no field each: lists to be pasted. */
function manyBeliefs({ prior, sensitive }, order) {
  const listed = Array.isArray(prior) ? prior.map(shown).join("\n") : prior && prior !== "uniform" ? Object.entries(prior).map((each) => each.join(": ")).join("\n") : "";
  const pair = (typed) => [typed.slice(0, typed.lastIndexOf(":")).trim(), read(typed.slice(typed.lastIndexOf(":") + 1).trim())];
  const believed = textarea("prior", listed, (typed) => change(({ question }) => {
    const said = lines(typed);
    if (said.length) question.prior = said.every((each) => each.includes(":")) ? Object.fromEntries(said.map(pair)) : said.map(read);
    else delete question.prior;
  }, true));
  believed.placeholder = "all alike";
  return [
    field(`Believed before: ${order} numbers, one in a line`, believed, "chances that add up to 1, or counts, in the order of the values; or a value, a colon and its number in each line"),
    field("Sensitive values", input("sensitive", (sensitive ?? []).map(shown).join(", "), (typed) => change(({ question }) => {
      if (typed.trim()) question.sensitive = parts(typed);
      else delete question.sensitive;
    }, true)), "separated by commas; their odds are told first"),
  ];
}

export function question(values, prior, { kinds: menu, folded }) {
  const { mechanism = { kind: "" }, question: asked } = study;
  const offered = ["", ...menu.map((each) => each.name), ...(menu.some((each) => each.name === mechanism.kind) ? [] : [mechanism.kind])];
  const kinds = Object.fromEntries(offered.map((kind) => [kind, { "": study.release ? "what the release says" : "none: any that keeps it", best: "the best there is" }[kind] ?? kind]));
  const chosen = menu.find((each) => each.name === mechanism.kind);
  const made = [
    field("What is guessed, in words", input("what", asked.what, (typed) => typed.trim() && change((next) => { next.question.what = typed; }, true))),
    field("Looks", whole("observations", "Looks", asked.observations, (next, n) => { next.question.observations = n; }), "how often something is released about the same secret"),
    field("Mechanism", select("kind-of-mechanism", kinds, mechanism.kind, (kind) => change((next) => {
      const { on, query, of, ratio, epsilon } = next.mechanism ?? {};
      if (!kind) return delete next.mechanism;
      const { keys, counts, alone } = menu.find((each) => each.name === kind) ?? { keys: [] };
      const counted = counts && !query ? { on: "answer", query: "count", of: [next.question.sensitive?.[0] ?? values.at(-1)] } : alone ? {} : { on, query, of };
      const own = Object.fromEntries(keys.filter(({ first }) => first !== null).map(({ name: key, first }) => [key, first]));
      next.mechanism = JSON.parse(JSON.stringify({ kind, ...counted, ...(keys.length ? own : { ratio, epsilon }) }));
    })), mechanism.query ? `of the answer: ${mechanism.query}${mechanism.of ? ` of ${mechanism.of.map(name).join(", ")}` : ""}` : ""),
  ];
  if ("ratio" in mechanism || "epsilon" in mechanism) {
    const said = "ratio" in mechanism ? `ratio ${mechanism.ratio}` : `ε = ${mechanism.epsilon}`;
    made.push(html("p", { className: "row" }, `It is built for ${said}, whatever is asked. `, button("follow", "Build it for what is asked", () => change((next) => {
      delete next.mechanism.ratio;
      delete next.mechanism.epsilon;
    }))));
  }
  if (chosen) made.push(...keysOf(chosen, mechanism));
  const gain = asked.gain === "squared difference" ? "squared" : asked.gain ?? "guess";
  made.push(field("An error is", select("gain", gains(), gain, (each) => change((next) => { next.question.gain = each; }))));
  if (folded) {
    return [...made, ...manyBeliefs(asked, folded.order.toLocaleString("en"))];
  }
  const given = asked.prior;
  const said = (value, k) => (Array.isArray(given) ? given[k] : given && typeof given === "object" ? given[name(value).replace(/^\(|\)$/g, "")] ?? given[name(value)] : undefined);
  const fields = values.map((value, k) => field(name(value), input(`prior-${k}`, String(said(value, k) ?? `1/${values.length}`), () => {
    change((next) => { next.question.prior = values.map((_, each) => read(document.getElementById(`prior-${each}`).value.trim())); }, true);
  }, { size: 7 })));
  made.push(html("details", { id: "beliefs", open: document.getElementById("beliefs")?.open ?? false },
    html("summary", {}, `Believed before: ${given && given !== "uniform" ? "as given" : "all values alike"}`),
    html("div", { className: "cells" }, ...fields), html("p", { className: "hint" }, "chances that add up to 1, or counts"),
    button("uniform", "All alike", () => change((next) => { delete next.question.prior; }))));
  const same = (a) => (b) => JSON.stringify(a) === JSON.stringify(b);
  const sensitive = asked.sensitive ?? [];
  const boxes = values.map((value, k) => {
    const box = html("input", { type: "checkbox", id: `sensitive-${k}`, checked: sensitive.some(same(value)) });
    box.onchange = () => change((next) => {
      const now = values.filter((_, each) => document.getElementById(`sensitive-${each}`).checked);
      if (now.length) next.question.sensitive = now;
      else delete next.question.sensitive;
    });
    return html("label", { className: "box" }, box, ` ${name(value)}`);
  });
  made.push(html("details", { id: "sensitive", open: document.getElementById("sensitive")?.open ?? false },
    html("summary", {}, `Sensitive: ${sensitive.map(name).join(", ") || "no value more than others"}`),
    html("p", { className: "boxes" }, ...boxes), html("p", { className: "hint" }, "their odds are told first")));
  return made;
}
