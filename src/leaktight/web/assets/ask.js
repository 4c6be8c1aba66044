// Asking the server. What is overtaken is dropped; what takes long shows how far it is, and stops.

import { token } from "./study.js";

export class Wrong extends Error {}

/** Ask one thing; `told` hears how far it is. */
export async function ask(task, request, { signal, told } = {}) {
  const response = await fetch(`ask/${task}`, {
    method: "POST",
    headers: { "Content-Type": "application/json", "X-Leaktight-Token": token() },
    body: JSON.stringify(request),
    signal,
  });
  if (!response.ok) throw new Wrong(await response.text());
  let rest = "", last = { wrong: "the answer broke off" };
  const reader = response.body.getReader(), decoder = new TextDecoder();
  for (;;) {
    const { value, done } = await reader.read();
    if (done) break;
    const lines = (rest + decoder.decode(value, { stream: true })).split("\n");
    rest = lines.pop();
    for (const line of lines) {
      const said = JSON.parse(line);
      if ("progress" in said) told?.(said);
      else last = said;
    }
  }
  if ("wrong" in last) throw new Wrong(last.wrong);
  return last.answer;
}

const PATIENCE = 1000; // ms that an overtaken question may still take: ending it costs more than that
const PAUSE = 400; // ms without a change after which the longer questions are asked

/** The newest question only: one at a time, and of those that wait the last. */
export class Latest {
  constructor(show, fail) {
    Object.assign(this, { show, fail, waiting: null, running: null });
  }

  get busy() {
    return Boolean(this.running || this.waiting);
  }

  want(task, request) {
    this.waiting = { task, request, since: performance.now() };
    if (!this.running) return this.#run();
    const late = performance.now() - this.running.since;
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.waiting && this.running?.stop.abort(), Math.max(0, PATIENCE - late));
  }

  async #run() {
    while (this.waiting) {
      const { task, request, since } = this.waiting;
      this.running = { stop: new AbortController(), since: performance.now() };
      this.waiting = null;
      try {
        const answer = await ask(task, request, { signal: this.running.stop.signal });
        this.show(answer, request, since);
      } catch (wrong) {
        if (wrong.name !== "AbortError") this.fail(wrong);
      }
    }
    this.running = null;
    clearTimeout(this.timer);
    this.idle?.();
  }
}

/** The longer questions, one after the other, each with its place on the page. */
export class Longer {
  constructor(parts) {
    this.parts = parts; // { task, request(): what to ask, show(answer), clear(), place }; begin(), point(point) if it comes in parts
    this.current = null;
  }

  get busy() {
    return this.parts.some((part) => part.wanted !== part.asked) || this.current !== null;
  }

  /** Whether what is shown is the answer to what is asked now. */
  isFresh(task) {
    const part = this.parts.find((each) => each.task === task);
    return part.shown === part.wanted;
  }

  /** Wait: somebody is moving something. */
  pause() {
    clearTimeout(this.timer);
  }

  /** Go on, after a moment in which nothing changes. */
  later() {
    this.pause();
    this.timer = setTimeout(() => this.#run(), PAUSE);
  }

  want() {
    for (const part of this.parts) part.wanted = JSON.stringify(part.request() ?? null);
    const { current } = this;
    if (current && current.wanted !== current.asked) current.stop.abort();
    this.later();
  }

  async #run() {
    if (this.current) return;
    for (;;) {
      const part = this.parts.find((each) => each.wanted !== each.asked);
      if (!part) return this.idle?.();
      part.asked = part.wanted;
      part.place.replaceChildren();
      if (part.asked === "null") part.clear?.();
      else if (await this.#ask(part)) return; // overtaken: after the next pause it is asked anew
    }
  }

  async #ask(part) {
    this.current = part;
    part.stop = new AbortController();
    const { signal } = part.stop;
    const bar = document.createElement("progress");
    const words = document.createElement("span");
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = "Stop";
    bar.max = 1;
    bar.setAttribute("aria-label", part.label);
    button.setAttribute("aria-label", `Stop: ${part.label}`);
    button.onclick = () => part.stop.abort("stopped");
    const appear = setTimeout(() => part.place.replaceChildren(bar, words, button), 400);
    try {
      const answer = await ask(part.task, JSON.parse(part.asked), {
        signal,
        told: ({ progress, done, point }) => {
          bar.value = done;
          words.textContent = ` ${progress} `;
          if (point) {
            if (part.shown !== part.asked) part.begin();
            part.shown = part.asked;
            part.point(point);
          }
        },
      });
      clearTimeout(appear);
      part.place.replaceChildren();
      part.shown = part.asked;
      part.show(answer);
    } catch (wrong) {
      clearTimeout(appear);
      if (signal.reason === "stopped") this.#stopped(part);
      else if (signal.aborted) {
        part.asked = undefined;
        return true;
      } else {
        part.place.textContent = wrong.message;
        if (part.shown !== part.asked) part.clear?.(); // else some of it was found
      }
    } finally {
      this.current = null;
    }
    return false;
  }

  #stopped(part) {
    const again = document.createElement("button");
    again.type = "button";
    again.textContent = "Go on";
    again.onclick = () => {
      part.asked = undefined;
      this.want();
    };
    part.place.replaceChildren("Stopped. ", again);
  }
}
