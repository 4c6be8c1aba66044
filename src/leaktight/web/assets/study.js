// The study that is tried. It is all the state there is, and the address carries it.

const TOKEN = "leaktight-token";
const listeners = [];
export let study = {};

export function token() {
  return localStorage.getItem(TOKEN) ?? "";
}

/** Read the address: the token is kept and taken out of it, the study is what it says. */
export function readAddress() {
  const said = new Map(location.hash.slice(1).split("&").map((part) => part.split("=")));
  if (said.has("token")) localStorage.setItem(TOKEN, said.get("token"));
  try {
    const bytes = Uint8Array.from(atob(said.get("study").replaceAll("-", "+").replaceAll("_", "/")), (c) => c.charCodeAt(0));
    study = completed(JSON.parse(new TextDecoder().decode(bytes)));
  } catch {
    study = completed({ policy: { values: ["no", "yes"] } });
  }
  history.replaceState({ step: stepNow() }, "", hash());
}

/** The keys that say what must be kept. */
export const PROMISE = ["ratio", "epsilon", "delta", "rho", "mu", "curve"];

/** Which promise a question asks for: pure ε, (ε, δ), ρ, μ or a curve of pairs. */
export const kindOf = (question) => ["curve", "mu", "rho", "delta"].find((key) => key in question) ?? "epsilon";

/** What the page needs to show anything: an ε, and so on; a mechanism only if the study has one. */
export function completed(given) {
  const question = { ...given.question };
  if (!PROMISE.some((key) => key in question)) question.epsilon = 1;
  question.observations ??= 10;
  question.what ??= "one record's value";
  return { title: "A study", ...given, question };
}

function hash() {
  const bytes = new TextEncoder().encode(JSON.stringify(study));
  const letters = Array.from(bytes, (byte) => String.fromCharCode(byte)).join("");
  return "#study=" + btoa(letters).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

export function onChange(listener) {
  listeners.push(listener);
}

/** Change the study. A `moving` change, as of a slider, is one step with those that follow at once. */
export function change(edit, moving = false) {
  const next = structuredClone(study);
  edit(next);
  const others = JSON.stringify(next.policy) !== JSON.stringify(study.policy);
  if (others && study.question.prior && !next.question.prior) tell("The values have changed: all are equally likely again. Say how likely each is beside what is guessed.");
  set(next, moving);
}

/**
 * Keep what is believed of values that stay, as others come and go: one that is new begins at 0, and of
 * those that are left the shares stay. As many values as before are the same ones, with other names.
 */
export function keepBeliefs(question, before, after) {
  const same = (a) => (b) => JSON.stringify(a) === JSON.stringify(b);
  const renamed = before.length === after.length;
  const now = (value) => (renamed ? after[before.findIndex(same(value))] : after.find(same(value)));
  if (question.sensitive) {
    question.sensitive = question.sensitive.map(now).filter((each) => each !== undefined);
    if (!question.sensitive.length) delete question.sensitive;
  }
  if (!Array.isArray(question.prior) || question.prior.length !== before.length) return delete question.prior;
  if (renamed) return true;
  const was = (value) => question.prior[before.findIndex(same(value))] ?? 0;
  const kept = after.map(was);
  if (after.length > before.length) question.prior = kept;
  else if (kept.every((each) => typeof each === "number") && kept.some(Boolean)) question.prior = asCounts(kept);
  else delete question.prior;
  return true;
}

/** Chances in decimals as whole numbers of the same shares. */
function asCounts(chances) {
  const digits = Math.max(...chances.map((each) => String(each).split(".")[1]?.length ?? 0));
  return chances.map((each) => Math.round(each * 10 ** digits));
}

/** Say something that is no error, for a while. */
export const tell = (said) => dispatchEvent(new CustomEvent("told", { detail: said }));

// --- steps that can be undone: those of the browser's own history -------------------------------------

const PAUSE = 800; // ms after which a movement is over, and the next one is a step of its own
let late = null;
let movement = null;
let farthest = 0; // how many steps were made from the first study to the last

const stepNow = () => history.state?.step ?? 0;
export const canUndo = () => stepNow() > 0;
export const canRedo = () => stepNow() < farthest;

/** Go back a step, or forth if `by` is 1. */
export function undo(by = -1) {
  settle();
  rest();
  history.go(by);
}

function rest() {
  clearTimeout(movement);
  movement = null;
}

/** Write a change that was moving into the address; a browser takes few such writes in a second. */
export function settle() {
  if (late === null) return;
  clearTimeout(late);
  late = null;
  history.replaceState(history.state, "", hash());
}

/** What is released of a table costs what is asked. */
function paidFor(next) {
  if (!next.release) return next;
  const { epsilon, ratio, ...others } = next.release;
  const asked = "ratio" in next.question ? { ratio: next.question.ratio } : "epsilon" in next.question ? { epsilon: next.question.epsilon } : { epsilon, ratio };
  return { ...next, release: { ...others, ...JSON.parse(JSON.stringify(asked)) } };
}

export function set(next, moving = false) {
  const goesOn = moving && movement !== null;
  rest();
  movement = setTimeout(rest, PAUSE);
  if (!goesOn) settle();
  study = paidFor(next);
  if (goesOn) late ??= setTimeout(settle, 250);
  else {
    farthest = stepNow() + 1;
    history.pushState({ step: farthest }, "", hash());
  }
  for (const listener of listeners) listener();
}

addEventListener("popstate", () => {
  clearTimeout(late);
  late = null;
  rest();
  readAddress();
  for (const listener of listeners) listener();
});

/** A value as it stands in a field: text as it is, in quotes if it would read as something else. */
export function shown(value) {
  if (typeof value !== "string") return JSON.stringify(value);
  return read(value) === value && value.trim() === value && value ? value : JSON.stringify(value);
}

/** A value that was typed: a number, a list or a text in quotes if it reads as one, else text. */
export function read(text) {
  try {
    const value = JSON.parse(text);
    return value === null || (typeof value === "object" && !Array.isArray(value)) ? text : value;
  } catch {
    return text;
  }
}

/** A number that was written, as 1/2 or 50% too. */
export function number(given) {
  const [above, under] = String(given).replace("%", "").split("/");
  return Number(above) / Number(under ?? 1) / (String(given).includes("%") ? 100 : 1);
}

/** A value as it stands in a picture. */
export function name(value) {
  return Array.isArray(value) ? `(${value.map(name).join(", ")})` : String(value);
}
