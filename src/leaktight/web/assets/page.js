// The page: what is asked goes to the server, what it answers is drawn.

import { Latest, Longer, Wrong, ask } from "./ask.js";
import * as compare from "./compare.js";
import * as controls from "./controls.js";
import * as graph from "./graph.js";
import * as map from "./map.js";
import * as pictures from "./pictures.js";
import { PROMISE, canRedo, canUndo, change, completed, kindOf, name, number, onChange, readAddress, set, settle, study, undo } from "./study.js";
import { html, take, takePicture } from "./svg.js";
import * as table from "./table.js";

const $ = (id) => document.getElementById(id);
const UPTO = 4;
let answer = null; // the newest answer, and the study that it is about
let asked = null;
let more = { looks: null, points: [], why: null, choice: null };
let picked = null; // the output that was clicked
let marked = null; // the bound that is pointed at

// --- what must be kept: ε, (ε, δ), ρ or μ ----------------------------------------------------------

const SYMBOLS = { epsilon: "ε", delta: "ε", rho: "ρ", mu: "μ", curve: "ε" };
const kind = () => kindOf(study.question);
/** The key whose number the slider moves. */
const moved = () => (kind() === "rho" || kind() === "mu" ? kind() : "epsilon");
/** What is marked in the pictures, which are of pure ε if a curve is asked for. */
const todayNow = () => (kind() === "curve" ? null : amountNow());
const amountNow = () => (moved() === "epsilon" ? epsilonNow() : number(study.question[moved()]) || 1);
const epsilonNow = () => answer?.audit.question.epsilon ?? (Number(study.question.epsilon) || 1);
/** How far two values are apart, if that is not one step: ε is then for a distance of 1. */
const distances = () => answer?.audit.policy.distances ?? null;
const per = () => (distances() ? `per ${distances().unit || "unit"}` : "");
/** Where the pictures end: so far that ε is well inside, but not at each move elsewhere. */
const upto = () => {
  let end = distances() ? roundUp(12 / distances().farthest) : UPTO;
  while (end < 1.1 * amountNow() && end < 64) end *= 2;
  return end;
};

function roundUp(least) {
  const power = 10 ** Math.floor(Math.log10(least));
  return +(power * [1, 2, 5, 10].find((each) => each * power >= least)).toPrecision(1);
}
/** How finely ε is moved. */
const step = () => upto() / 400;
const stepped = (epsilon) => +(Math.max(1, Math.round(epsilon / step())) * step()).toPrecision(6);

const typedNumber = (typed) => (Number.isFinite(Number(typed)) ? Number(typed) : typed);

function setAmount(value, moving) {
  const key = moved();
  change(({ question }) => {
    if (key === "epsilon") delete question.ratio;
    question[key] = value;
  }, moving);
}

$("slider").addEventListener("input", () => setAmount(Number($("slider").value), true));
for (const key of ["epsilon", "delta", "rho", "mu"]) {
  $(key).addEventListener("input", () => {
    const typed = $(key).value.trim();
    if (!typed) return;
    change(({ question }) => {
      if (key === "epsilon") delete question.ratio;
      question[key] = typedNumber(typed);
    }, true);
  });
}
$("ratio").addEventListener("input", () => {
  const typed = $("ratio").value.trim();
  if (!typed) return;
  change(({ question }) => {
    delete question.epsilon;
    question.ratio = typedNumber(typed);
  }, true);
});
/** Another promise: a mechanism that was built for the ε that was asked keeps being so. */
$("promise").addEventListener("change", () => {
  const wantedKind = $("promise").value;
  const epsilon = study.question.epsilon ?? study.mechanism?.epsilon ?? +epsilonNow().toPrecision(6);
  change(({ question, mechanism }) => {
    for (const key of PROMISE) delete question[key];
    if (wantedKind === "epsilon" || wantedKind === "delta") question.epsilon = epsilon;
    if (wantedKind === "delta") question.delta = "1e-6";
    if (wantedKind === "rho" || wantedKind === "mu") question[wantedKind] = 1;
    if (!mechanism) return;
    const own = "ratio" in mechanism || "epsilon" in mechanism || mechanism.kind === "matrix";
    if (!own && !("epsilon" in question)) mechanism.epsilon = epsilon;
  });
});

function showEpsilon() {
  const { question } = study;
  const near = epsilonNow();
  $("promise").value = kind();
  $("promise").querySelector("[value=curve]").hidden = kind() !== "curve";
  for (const each of document.querySelectorAll("[data-of]")) each.hidden = !each.dataset.of.split(" ").includes(kind());
  for (const each of document.querySelectorAll(".amount")) each.textContent = SYMBOLS[kind()];
  $("slider").hidden = kind() === "curve";
  if (document.activeElement !== $("epsilon")) $("epsilon").value = question.epsilon ?? +near.toPrecision(6);
  if (document.activeElement !== $("ratio")) $("ratio").value = question.ratio ?? +Math.exp(near).toPrecision(6);
  for (const key of ["delta", "rho", "mu"]) if (document.activeElement !== $(key)) $(key).value = question[key] ?? "";
  Object.assign($("slider"), { max: upto(), min: step(), step: step() });
  for (const each of document.querySelectorAll(".per")) each.textContent = per();
  if (document.activeElement !== $("slider")) $("slider").value = amountNow();
  const ratio = moved() === "epsilon" ? `, ratio ${Math.exp(near).toPrecision(4)}` : "";
  $("slider").setAttribute("aria-valuetext", `${SYMBOLS[kind()]} = ${question[moved()] ?? near.toPrecision(4)} ${per()}${ratio}`);
}

// --- asking ----------------------------------------------------------------------------------------

const latest = new Latest((found, request, since) => {
  if (!answer) notice("");
  answer = found;
  asked = request.study;
  $("wrong").textContent = "";
  document.body.classList.remove("stale");
  longer.want();
  showAnswer();
  showControls();
  performance.measure("move", { start: since }); // for benchmarks/page.py
}, (wrong) => {
  $("wrong").textContent = wrong instanceof Wrong ? wrong.message : "The server does not answer; is it still running?";
  document.body.classList.add("stale");
});

const without = (given, ...keys) => Object.fromEntries(Object.entries(given).filter(([key]) => !keys.includes(key)));
const place = (task) => document.querySelector(`.work[data-part="${task}"]`);
/** What does not change with ε, or with what is released, is not asked again. */
const still = (...keys) => ({ ...without(asked, "data", "release", "mechanism"), title: "A study", question: { ...without(asked.question, "gain", "what", ...keys), epsilon: 1 } });
/** The same for the promise that is asked for: its amount does not matter where the largest is looked for. */
const stillAsked = (...keys) => {
  const found = still(...PROMISE, ...keys);
  const key = kindOf(asked.question);
  if (key === "delta") found.question.delta = asked.question.delta;
  if (key !== "rho" && key !== "mu") return found;
  return { ...found, question: { ...without(found.question, "epsilon"), [key]: 1 } };
};

const longer = new Longer([
  {
    task: "choice", label: "the largest that keeps it",
    place: place("choice"),
    request: () => (asked.question.below === undefined || asked.policy.constraints || asked.policy.margins || asked.policy.databases || kindOf(asked.question) === "curve" ? null : { study: stillAsked() }),
    show: (found) => { more.choice = found; showBelow(); },
    clear: () => { more.choice = null; showBelow(); },
  },
  {
    task: "looks", label: "what this mechanism tells after several looks",
    place: place("looks"),
    request: () => ({ study: { ...asked, title: "A study" } }),
    show: (found) => { more.looks = found; showOdds(); showWorst(); showComparison(); },
    clear: () => { more.looks = null; showOdds(); showWorst(); showComparison(); },
  },
  {
    task: "curves", label: "the curves over all ε",
    place: place("curves"),
    request: () => ({ study: stillAsked("below"), upto: upto() }),
    begin: () => Object.assign(more, { points: [], why: null }),
    point: (point) => {
      more.points = [...more.points, point].sort((a, b) => a.epsilon - b.epsilon);
      showCurves();
    },
    show: (found) => { Object.assign(more, found); showBelow(); showWorst(); },
    clear: () => { Object.assign(more, { points: [], why: null }); showCurves(); },
  },
  {
    task: "formula", label: "the formula for every ε",
    place: place("formula"),
    request: () => ($("formula-details").open && !asked.policy.metric ? { study: { policy: asked.policy } } : null),
    show: ({ pieces }) => $("formula").replaceChildren(
      html("p", { className: "hint" }, asked.policy.constraints || asked.policy.margins ? "Σ max over the databases, in λ = e^ε; its logarithm are the bits" : "Σ max for one record, in λ = e^ε; its logarithm are the bits"),
      ...pieces.map((piece) => html("p", { className: "piece" }, piece))),
    clear: () => $("formula").replaceChildren(),
  },
]);
longer.idle = () => document.querySelector("main").setAttribute("aria-busy", latest.busy || longer.busy);
latest.idle = () => {
  longer.later();
  longer.idle();
};

function wanted() {
  document.querySelector("main").setAttribute("aria-busy", true);
  document.title = `${study.title} – leaktight`;
  if (document.activeElement !== $("title")) $("title").value = study.title;
  showEpsilon();
  $("undo").disabled = !canUndo();
  $("redo").disabled = !canRedo();
  for (const each of document.querySelectorAll("#advised, #use")) each.disabled = true; // they are of the study before
  longer.pause();
  latest.want("answer", { study });
}

// --- showing ---------------------------------------------------------------------------------------

function showAnswer() {
  const { audit } = answer;
  const mechanism = audit.mechanism;
  if (mechanism?.matrix.length && (picked === null || picked >= mechanism.outputs.length)) {
    picked = speaking() ?? (mechanism.marked ? mechanism.marked[2] : Math.floor(mechanism.outputs.length / 2));
  }
  showEpsilon();
  $("verdict").textContent = [audit.verdict.line, ...audit.warnings].join(" ");
  $("verdict").classList.toggle("bad", audit.verdict.holds === false);
  showAdvice(audit.advice);
  graph.show($("graph"), answer);
  $("formula-details").hidden = Boolean(study.policy.metric);
  showHint();
  showComparison();
  showOdds();
  showBelow();
  showWorst();
  showMechanism();
}

/** The output that raises the first sensitive value most, if one is named. */
function speaking() {
  const [first] = study.question.sensitive ?? [];
  const at = answer.audit.mechanism.inputs.indexOf(name(first ?? ""));
  const { before, after } = answer.posteriors ?? { before: [], after: [] };
  if (at < 0 || !before[at]) return null;
  const chances = after.map((column) => column?.[at] ?? 0);
  return chances.indexOf(Math.max(...chances));
}

/** What is known of the study that is shown; what takes longer is there once it is found. */
const known = () => compare.rowsOf(answer, longer.isFresh("looks") ? more.looks : null);

function showComparison() {
  compare.show($("comparison"), asked, known(), set, showComparison);
  $("compare").disabled = compare.isOn();
}

/** How strong it is for one person, and which ε would be stronger, to take over by a click. */
function showAdvice({ is, rank, text, setting }) {
  const use = setting && html("button", { type: "button", id: "advised", title: `[question] ${setting}` }, "Use it");
  if (use) use.onclick = () => setAmount(setting.split(" ").at(-1), false);
  $("advice").replaceChildren(...(is === "skipped" ? [] : [html("b", { className: rank }, rank), ` ${text.join(" ")} `, use].filter(Boolean)));
}

function showOdds() {
  const waiting = longer.isFresh("looks") ? {} : { chances: ["…", "…", "…"], text: [], stale: true };
  const rows = [...(more.looks?.odds ?? []).map((row) => ({ ...row, ...waiting })), ...answer.odds];
  pictures.odds($("odds"), rows, answer.audit.question.observations);
  const words = rows.filter((row) => !row.stale && row.text.length).map(({ who, chances: [before, once, often], text }) => {
    const later = often && often !== "–" ? `, ${often} after ${answer.audit.question.observations.toLocaleString("en")}` : "";
    return `${who[0].toUpperCase()}${who.slice(1)}: ${before} before, ${once} after 1 look${later}. ${text.join(" ")}`;
  });
  $("odds-what").textContent = `Guessing ${answer.audit.question.what}`;
  const skipped = answer.audit.person.any_mechanism;
  if (skipped.is === "skipped") words.push(`Any mechanism: ${skipped.why}.`);
  if (answer.said.membership) words.push(answer.said.membership);
  $("odds-words").replaceChildren(...words.map((each) => html("li", {}, each)));
  $("odds-values").replaceChildren(...rows.filter((row) => !row.stale && row.values).map(({ who, values: [[about, ...head], ...lines] }) =>
    grid(`Belief by value: ${who}`, ["value", ...head], lines, `${who}: ${about}`)));
}

/** The chance that a guess shall not exceed, as it is now. */
function limitNow() {
  const { below } = study.question;
  return below === undefined ? Math.max(0.75, leastLimit()) : number(below);
}

const leastLimit = () => Math.min(0.99, Math.ceil(100 * Math.max(...answer.prior) + 1) / 100);

function setLimit(chance) {
  const kept = Math.min(0.99, Math.max(leastLimit(), chance));
  change(({ question }) => { question.below = Math.round(100 * kept) / 100; }, true);
  showBelow(); // at once: the next step begins where this one ended
}

function showBelow() {
  const choice = longer.isFresh("choice") ? more.choice : null;
  for (const id of ["below", "worst"]) $(id).classList.toggle("stale", !longer.isFresh("curves"));
  pictures.below($("below"), {
    points: more.points, upto: upto(), epsilon: todayNow(), symbol: SYMBOLS[kind()], per: per(), observations: study.question.observations, limit: limitNow(),
    chosen: choice?.[moved()] ?? null, start: leastLimit(), sensitive: name(study.question.sensitive?.[0] ?? ""),
  }, setLimit, (by) => setLimit(limitNow() + by));
  const use = html("button", { type: "button", id: "use" }, `Use this ${SYMBOLS[kind()]}`);
  const digits = 10 ** (4 - Math.floor(Math.log10(upto())));
  use.onclick = () => setAmount(Math.floor(digits * choice[moved()]) / digits, false);
  $("choice").dataset.epsilon = choice?.epsilon ?? "";
  $("choice").replaceChildren(...(choice ? [choice.text, " ", use]
    : [study.question.below === undefined ? "Drag the line: below which chance shall every guess stay?" : asked.policy.constraints || asked.policy.margins ? "What is public ties records together: read the ε off the curve." : ""]));
}

function showWorst() {
  const { audit, said } = answer;
  const found = audit.worst_case;
  drawWorst();
  $("worst-words").textContent = found.is === "skipped" ? found.why : `${kind() === "epsilon" ? "At this ε" : `Under ${audit.question.asked}`}, any mechanism leaks ${said.worst} at worst.${audit.policy.records > 1 ? " Each bit doubles the chance to guess all records right at once; for one person, the odds above count." : ""}${kind() === "curve" ? " The picture is of pure ε." : ""}`;
  const bounds = longer.isFresh("looks") && Array.isArray(more.looks?.published) ? more.looks.published : [];
  const names = pictures.boundNames(more.points);
  const rows = bounds.map((bound, k) => {
    const called = `${bound.source}: ${bound.form}`;
    const row = html("tr", {}, html("td", {}, names.indexOf(called) + 1 || ""), html("td", {}, bound.source), html("td", {}, bound.form), html("td", { className: "figure" }, more.looks.bits[k]));
    row.onpointerenter = () => { marked = called; showCurves(); };
    row.onpointerleave = () => { marked = null; showCurves(); };
    return row;
  });
  $("bounds").replaceChildren(html("p", { className: "hint" }, found.is === "skipped" ? "" : `The worst case itself was found by: ${found.route}.`), html("table", {}, html("thead", {}, html("tr", {}, html("th", {}, "line"), html("th", {}, "source"), html("th", {}, "form"), html("th", {}, "bits"))), html("tbody", {}, ...rows)));
}

function showCurves() {
  showBelow();
  drawWorst();
}

function drawWorst() {
  pictures.worst($("worst"), {
    points: more.points, upto: upto(), epsilon: todayNow(), symbol: SYMBOLS[kind()], per: per(), bits: answer.audit.worst_case.bits ?? null, marked, why: more.why,
  }, (amount) => kind() !== "curve" && setAmount(stepped(amount), true));
}

/** A table whose first column names the rows. */
function grid(label, head, rows, caption) {
  return html("div", { className: "scroll", tabIndex: 0, role: "region", "aria-label": label }, html("table", {}, caption ? html("caption", {}, caption) : null,
    html("thead", {}, html("tr", {}, ...head.map((each, k) => html("th", { scope: "col", className: k ? "figure" : "" }, each)))),
    html("tbody", {}, ...rows.map(([first, ...rest]) => {
      const cells = rest.some(Boolean) ? rest : []; // a sentence has the row for itself
      return html("tr", {}, html("th", { scope: "row", colSpan: 1 + rest.length - cells.length }, first), ...cells.map((each) => html("td", { className: "figure" }, each)));
    }))));
}

/** What is published of a table, and what it tells of each attribute alone. */
function releaseTables({ name: called, queries }) {
  return [
    grid(`The release ${called}`, ["published", "numbers", "each off by"], queries.map((each) => [`${each.name} (${each.kind})`, each.numbers.toLocaleString("en"), each.noise ? `± ${each.error.toPrecision(3)}` : "exact"])),
    grid("One attribute alone", ["one attribute, all others known", "before", "after"], answer.attributes),
  ];
}

function showMechanism() {
  const { audit, said, posteriors } = answer;
  const { mechanism } = audit;
  const known = mechanism?.matrix.length && posteriors;
  const own = said.this === undefined ? "" : `, ${said.error}: ${said.this}`;
  const best = said.best === undefined ? "" : `; of the best that is as private: ${said.best}`;
  $("mechanism-words").textContent = mechanism ? `${mechanism.name[0].toUpperCase()}${mechanism.name.slice(1)}${own}${best}.` : "";
  const { release } = audit;
  $("posterior").closest("section").hidden = release.is === "release" ? !release.text.length : !known;
  if (release.is === "release") {
    $("mechanism").replaceChildren(...releaseTables(release));
    $("posterior").replaceChildren();
    $("posterior-words").textContent = release.text.join(" ");
    return;
  }
  if (!known) {
    const why = mechanism ? "So many outputs are not drawn." : study.release ? "What the table’s queries release, with noise, is planned and drawn by: leaktight release." : "None is chosen: what is said holds for every one that keeps what is asked. Choose one to see what each output tells.";
    $("mechanism").replaceChildren(html("p", { className: "why" }, why));
    $("posterior").replaceChildren();
    $("posterior-words").textContent = "";
    return;
  }
  pictures.heatMap($("mechanism"), mechanism, picked, (output) => { picked = output; showMechanism(); });
  const after = posteriors.after[picked];
  $("posterior-words").textContent = after ? `Output ${mechanism.outputs[picked]} is seen with a chance of ${pictures.percent(posteriors.chances[picked])}. The rows are each ${mechanism.about}.` : `Output ${mechanism.outputs[picked]} cannot be seen.`;
  pictures.posterior($("posterior"), mechanism.inputs, posteriors.before, after ?? posteriors.before);
}

let filled = "";
addEventListener("focusout", () => { filled = ""; }); // what was not filled while somebody typed there

let pressed = false; // a button that is replaced while it is pressed is never clicked
addEventListener("pointerdown", () => { pressed = true; }, true);
for (const end of ["pointerup", "pointercancel"]) {
  addEventListener(end, () => {
    pressed = false;
    setTimeout(() => answer && showControls());
  }, true);
}

/** Fill the fields anew if they say something else, but for those that somebody is typing in. */
function showControls() {
  if (pressed) return;
  const now = JSON.stringify([study.policy, study.mechanism, without(study.question, "below", ...PROMISE), answer.values]);
  if (now === filled) return;
  filled = now;
  const focused = document.activeElement;
  const panels = { secrets: () => controls.secrets(answer.values), public: () => controls.publicly(answer.values, answer.folded), question: () => controls.question(answer.values, answer.prior, answer) };
  for (const [id, make] of Object.entries(panels)) {
    const panel = $(id);
    const typing = panel.contains(focused) && focused.matches("textarea, input:not([type=checkbox])");
    const made = typing ? null : make();
    if (made) panel.replaceChildren(...made);
    if (made && focused.id && panel.querySelector(`#${CSS.escape(focused.id)}`)) panel.querySelector(`#${CSS.escape(focused.id)}`).focus();
  }
}

/** Several attributes as a tree: each a branch, its values the leaves. */
function tree({ attributes = {} }) {
  const listed = (given) => (Array.isArray(given) ? given : given.values ?? given.groups?.flat() ?? []);
  const branch = ([key, given]) => {
    const values = listed(given);
    const leaves = Array.isArray(values) ? values.map(name) : [`${values} values`];
    return html("li", {}, html("details", { open: leaves.length <= 12 }, html("summary", {}, `${key} (${Array.isArray(values) ? values.length : values})`), html("ul", {}, ...leaves.map((leaf) => html("li", {}, leaf)))));
  };
  return Object.entries(attributes).map(branch);
}

function showHint() {
  $("graph-tree").replaceChildren(...tree(study.policy));
  const { folded } = answer;
  if (folded) {
    $("graph-hint").textContent = `${folded.order.toLocaleString("en")} values and ${folded.pairs.toLocaleString("en")} secret pairs, folded into ${answer.values.length} groups, named by their first value: a line joins groups with a pair between them.`;
    return;
  }
  $("graph-hint").textContent = map.isMap(study.policy) ? map.hint() : study.policy.metric ? ""
    : `Choose two values to make or remove a secret pair${graph.listed(study.policy) || graph.kindOf(study.policy) === "partition" ? "; Delete removes a value" : ""}.${graph.nameless() ? " Point at a dot for its name." : ""}`;
}

// --- taking away -----------------------------------------------------------------------------------

function notice(said) {
  $("notice").textContent = said;
  setTimeout(() => { if ($("notice").textContent === said) $("notice").textContent = ""; }, 6000);
}

addEventListener("told", ({ detail }) => notice(detail));

const file = () => study.title.replaceAll(/[^\p{L}\p{N}]+/gu, "-").replaceAll(/^-|-$/g, "").toLowerCase() || "study";

async function taken(task, use) {
  notice("One moment…");
  try {
    use(await ask(task, { study }));
    notice("");
  } catch (wrong) {
    notice("");
    $("wrong").textContent = wrong.message;
  }
}

$("save").onclick = () => taken("save", (toml) => take(`${file()}.toml`, toml, "application/toml"));
$("report").onclick = () => taken("report", (page) => take(`${file()}.html`, page, "text/html"));
$("certificate").onclick = () => taken("certificate", (proof) => take(`${file()}.json`, proof, "application/json"));
$("code").onclick = () => taken("code", (code) => {
  $("code-text").textContent = code;
  $("code-dialog").showModal();
});
$("code-copy").onclick = () => navigator.clipboard.writeText($("code-text").textContent);
$("address").onclick = async () => {
  settle();
  await navigator.clipboard.writeText(location.href);
  notice("Copied. Whoever gets it opens it with: leaktight explore 'ADDRESS'");
};
$("undo").onclick = () => undo();
$("redo").onclick = () => undo(1);
addEventListener("keydown", (event) => {
  const typing = event.target.matches("input[type=text], textarea"); // whose own undo is meant
  if (typing || !(event.ctrlKey || event.metaKey) || event.key.toLowerCase() !== "z") return;
  event.preventDefault();
  if (event.shiftKey ? canRedo() : canUndo()) undo(event.shiftKey ? 1 : -1);
});
$("compare").onclick = () => {
  if (!answer) return;
  compare.keep(asked, known());
  showComparison();
  $("comparison").scrollIntoView({ block: "nearest" });
  notice("Kept. Change anything: both stand side by side.");
};
$("open").onclick = () => $("file").click();
/** Open a study, or make one of a table. */
async function open(given) {
  try {
    if (!given || /\.(csv|parquet)$/i.test(given.name)) {
      notice("Looking at the table…");
      await table.look($("table-dialog"), given);
      notice("");
    } else set(completed({ title: given.name.replace(/\.toml$/, ""), ...await ask("open", { toml: await given.text() }) }));
  } catch (wrong) {
    notice("");
    $("wrong").textContent = wrong.message;
  }
}

$("file").onchange = () => {
  const [given] = $("file").files;
  if (given) open(given).finally(() => { $("file").value = ""; });
};
addEventListener("dragover", (event) => event.preventDefault());
addEventListener("drop", (event) => {
  event.preventDefault();
  const [given] = event.dataTransfer?.files ?? [];
  if (given) open(given);
});
$("title").oninput = () => $("title").value.trim() && change((next) => { next.title = $("title").value; }, true);

for (const tools of document.querySelectorAll(".tools")) {
  const name = tools.dataset.picture;
  const taking = (png) => html("button", {
    type: "button", "aria-label": `Take the picture “${$(`${name}-heading`)?.textContent ?? name}” as ${png ? "PNG" : "SVG"}`,
    onclick: () => { const drawing = $(name).querySelector("svg"); if (drawing) takePicture(drawing, `${file()}-${name}`, png); },
  }, png ? "PNG" : "SVG");
  if (name === "graph") tools.append(html("button", { type: "button", id: "tidy", onclick: () => graph.tidy($("graph")) }, "Tidy up"));
  tools.append(taking(false), taking(true));
}

$("formula-details").addEventListener("toggle", () => answer && longer.want());
let width = innerWidth;
addEventListener("resize", () => {
  if (innerWidth === width || !answer) return;
  width = innerWidth;
  showAnswer();
});

onChange(wanted);
const beginsWithTable = location.hash.includes("&table=");
readAddress();
wanted();
if (beginsWithTable) open(null);
else if (!answer) $("notice").textContent = "Computing the first answer…";
