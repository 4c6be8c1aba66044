// A table becomes a study: its columns are listed, and somebody says which are secret.

import { Wrong } from "./ask.js";
import { completed, read, set, shown, token } from "./study.js";
import { html } from "./svg.js";

const MOST = 2000; // values of all secret columns together

/** Look at a table, one that is given or the one that the page was started with, and ask about it. */
export async function look(dialog, file) {
  const response = await fetch(`table?name=${encodeURIComponent(file?.name ?? "")}`, {
    method: "POST", headers: { "X-Leaktight-Token": token() }, body: file ?? "",
  });
  const said = await response.text();
  if (!response.ok) throw new Wrong(said);
  const last = JSON.parse(said.trim().split("\n").at(-1));
  if ("wrong" in last) throw new Wrong(last.wrong);
  ask(dialog, last.answer);
}

function ask(dialog, { name, rows, columns }) {
  const fields = columns.map(row);
  const said = html("p", { className: "hint", role: "status" });
  const person = html("select", { id: "table-person" }, html("option", { value: "" }, "every row is a person"),
    ...columns.filter((each) => !each.missing).map((each) => html("option", { value: each.name }, each.name)));
  const people = html("select", { id: "table-people" }, html("option", { value: "fixed" }, "is public: one may have had another value"),
    html("option", { value: "change" }, "is not public: one may have been absent"));
  const make = html("button", { type: "button", id: "table-make" }, "Make the study");
  const update = () => {
    const chosen = fields.filter(({ box }) => box.checked);
    const cells = chosen.reduce((all, field) => all * (field.bands()?.length ?? 0), 1);
    make.disabled = !chosen.length || !cells || cells > MOST;
    said.textContent = !chosen.length ? "Choose what must be kept secret."
      : cells > MOST ? `${cells.toLocaleString("en")} combinations are more than the ${MOST.toLocaleString("en")} that the page takes: choose fewer columns, or wider bands.`
        : cells ? `${cells.toLocaleString("en")} ${chosen.length > 1 ? "combinations" : "values"}, ${rows.toLocaleString("en")} rows.` : "Cuts are numbers in order, separated by commas.";
  };
  for (const { box, cuts } of fields) for (const input of [box, cuts]) input?.addEventListener("input", update);
  make.onclick = () => {
    const whose = columns.find((each) => each.name === person.value);
    set(completed(studyOf(name, whose ? whose.distinct : rows, fields.filter(({ box }) => box.checked), person.value, people.value)));
    dialog.close();
  };
  dialog.replaceChildren(html("h2", { id: "table-heading" }, `${name}: what is secret?`),
    html("div", { className: "scroll", tabIndex: 0, role: "region", "aria-label": "The columns of the table" }, html("table", {},
      html("thead", {}, html("tr", {}, ...["secret", "column", "what", "values", "bands from"].map((each) => html("th", { scope: "col" }, each)))),
      html("tbody", {}, ...fields.map((field) => field.line)))),
    html("p", { className: "field" }, html("label", { for: "table-person" }, "Whose is a row?"), person),
    html("p", { className: "field" }, html("label", { for: "table-people" }, "How many people there are"), people),
    said, html("p", { className: "hint" }, "Values and cuts come from the table: whoever sees the study sees that they occur. Nothing else of it is kept, and nothing leaves this machine."),
    html("p", { className: "row" }, make, html("button", { type: "button", onclick: () => dialog.close() }, "Cancel")));
  update();
  dialog.showModal();
}

/** A column: a box to choose it, and where its bands begin if it has many numbers. */
function row(column, k) {
  const { name, kind, distinct, missing, values, cuts: proposed } = column;
  const numbers = kind.includes("numbers");
  const possible = values.length > 1 || proposed.length > 0;
  const box = html("input", { type: "checkbox", id: `table-column-${k}`, disabled: !possible });
  const cuts = numbers ? html("input", { type: "text", id: `table-cuts-${k}`, value: proposed.join(", "), size: 26, "aria-label": `Where the bands of ${name} begin`, placeholder: "each number by itself" }) : null;
  const parted = () => (cuts?.value.trim() ? cuts.value.split(",").map((each) => Number(each.trim())) : []);
  const inOrder = (all) => all.every((each, at) => Number.isFinite(each) && (!at || all[at - 1] < each));
  const bands = () => {
    const all = parted();
    if (!inOrder(all)) return null;
    return all.length ? [`<${all[0]}`, ...all.slice(1).map((each, at) => `${all[at]}–${each}`), `≥${all.at(-1)}`] : values;
  };
  const line = html("tr", {}, html("td", {}, box), html("td", {}, html("label", { for: box.id }, name)), html("td", {}, kind),
    html("td", { className: "figure" }, `${distinct.toLocaleString("en")}${missing ? `, ${missing.toLocaleString("en")} empty` : ""}`), html("td", {}, cuts ?? ""));
  return { name, missing, box, cuts, parted, bands, line };
}

/** The study that is saved: `leaktight release` reads the table as it was looked at. */
function studyOf(file, records, chosen, person, people) {
  const stem = file.replace(/\.[^.]*$/, "") || "table";
  const single = chosen.length === 1;
  const listed = (field) => field.bands().map((value) => read(shown(value)));
  const policy = single ? { values: listed(chosen[0]) } : { attributes: Object.fromEntries(chosen.map((field) => [field.name, listed(field)])), differ: "all" };
  const cuts = Object.fromEntries(chosen.filter((field) => field.parted().length).map((field) => [field.name, field.parted()]));
  return {
    title: stem,
    policy: { ...policy, people, records, ...(people === "change" ? { absent: "absent" } : {}) },
    data: { source: file, columns: single ? chosen[0].name : chosen.map((field) => field.name), ...(person ? { person } : {}), ...(Object.keys(cuts).length ? { cuts } : {}) },
    release: {
      name: stem, epsilon: 1, budget: 1, ledger: `${stem}.ledger`, output: `${stem}-released.csv`,
      queries: chosen.map((field) => (single ? { name: `by ${field.name}`, kind: "histogram" } : { name: `by ${field.name}`, kind: "histogram", by: [field.name] })),
    },
    question: { epsilon: 1, observations: 1, what: single ? `one person's ${chosen[0].name}` : `one person's ${chosen.map((field) => field.name).join(" and ")}` },
  };
}
