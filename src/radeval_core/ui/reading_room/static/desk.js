// The reader's page: moves between cases, shows progress and what is saved, and acts on keys.

import { announce, byId, dialog, make, show, showKeys } from "./dom.js";
import { get } from "./server.js";
import { Sheet } from "./sheet.js";
import { KEYS, LETTERS, missingInWords } from "./words.js";

const PATIENCE = 1000; // milliseconds

export class Desk {
  constructor(overview) {
    Object.assign(this, { asked: overview.asked, states: overview.states, sheets: new Map(), sheet: null, moving: null });
    document.addEventListener("keydown", (event) => this.key(event));
    document.addEventListener("focusin", () => this.legend());
  }

  async start() {
    const remembered = history.state?.position;
    const first = this.states.findIndex((state) => state !== "done") + 1;
    await this.open(this.states[remembered - 1] ? remembered : first || 1);
    if (!first && !remembered) this.farewell();
  }

  // Run a move to another case. Keys that are pressed meanwhile are meant for that case: they wait for it. If it takes
  // long, they are dropped, because the reader did not see what they act on.
  async whileMoving(move) {
    const [began, early] = [performance.now(), []];
    this.moving = early;
    try {
      return await move();
    } finally {
      this.moving = null;
      if (performance.now() - began < PATIENCE) early.forEach((event) => this.key(event));
      else if (early.length) announce("Keys that you pressed while the page was waiting did nothing");
    }
  }

  // Fetch a case once. The next one is fetched ahead, so that moving on takes no time.
  fetch(position) {
    if (!this.sheets.has(position)) {
      const found = get(`case/${position}`).then((data) => new Sheet(data, this.asked, this));
      found.catch(() => this.sheets.delete(position));
      this.sheets.set(position, found);
    }
    return this.sheets.get(position);
  }

  open(position) {
    return this.whileMoving(() => this.show(position));
  }

  async show(position) {
    try {
      this.sheet = await this.fetch(position);
    } catch (error) {
      return this.status(null, `Case ${position} cannot be shown: ${error.message}`, true);
    }
    if (position < this.states.length) this.fetch(position + 1);
    history.replaceState({ position }, "");
    const done = make("button", { type: "button", class: "primary", onclick: () => this.finish() }, "Finish case ", make("kbd", {}, "Enter"));
    const move = (by, label) => make("button", { type: "button", class: "plain", onclick: () => this.move(by) }, label);
    const steps = make("nav", { class: "steps", "aria-label": "Cases" }, move(-1, "Previous"), done, move(1, "Next"));
    show(this.sheet.element, make("p", { id: "missing", role: "alert" }), steps);
    this.sheet.paint();
    window.scrollTo(0, 0);
    byId("main").focus({ preventScroll: true });
    this.progress();
    this.legend();
    announce(`Case ${position} of ${this.states.length}${this.sheet.reading.done ? ", finished" : ""}`);
  }

  get position() {
    return this.sheet?.data.position ?? 1;
  }

  move(by) {
    const wanted = this.position + by;
    if (wanted < 1 || wanted > this.states.length) return announce(by < 0 ? "This is the first case" : "This is the last case");
    return this.open(wanted);
  }

  finish() {
    return this.whileMoving(() => this.finishNow());
  }

  async finishNow() {
    const sheet = this.sheet;
    await sheet.finish();
    if (this.sheet !== sheet) return;
    if (!sheet.reading.done) return this.tell(sheet);
    const n = this.states.length;
    const later = [...Array(n).keys()].map((k) => ((this.position + k) % n) + 1);
    const next = later.find((position) => this.states[position - 1] !== "done");
    if (next) await this.show(next);
    else this.farewell();
  }

  tell(sheet) {
    if (!sheet.missing.length) return;
    const words = sheet.missing.map((one) => missingInWords(one, sheet.data.candidates.length));
    byId("missing").textContent = `Still missing: ${[...new Set(words)].join(", ")}.`;
    const [{ part, candidate, correction }] = sheet.missing;
    const column = sheet.columns[candidate];
    if (part === "rating") column.querySelector(".choices input").focus();
    else if (correction !== null) {
      const wanted = sheet.reading.candidates[candidate].corrections[correction];
      const all = [...sheet.editors[candidate].list.children];
      const inserted = sheet.reading.candidates[candidate].corrections.filter((c) => c.action === "insert");
      const place = wanted.action === "insert" ? sheet.data.candidates[candidate].lines.length + inserted.indexOf(wanted) : wanted.line;
      all[place]?.focus();
    } else sheet.element.querySelector(`input[name=${part === "confidence" ? "confidence" : "preferred"}]`).focus();
  }

  farewell() {
    const back = make("button", { type: "button", class: "plain", onclick: () => this.open(1) }, "Look at the first case again");
    show(make("article", { class: "message", tabIndex: -1, id: "farewell" }, make("h2", {}, "All cases are finished"),
      make("p", {}, `You have read ${this.states.length} cases. Everything is saved, and you can close this page. Thank you.`), back));
    byId("farewell").focus();
    this.sheet = null; // keys must not change a case that nobody sees
    this.progress();
    showKeys([["o", "all cases"]]);
  }

  // what a sheet reports
  status(sheet, text, trouble) {
    const box = byId("saved");
    box.textContent = text;
    box.classList.toggle("trouble", Boolean(trouble));
  }

  saved(sheet, newest) {
    this.states[sheet.data.position - 1] = sheet.reading.done ? "done" : "begun";
    if (newest) this.status(sheet, "All changes saved", false);
    if (!sheet.missing.length && byId("missing")) byId("missing").textContent = "";
    this.progress();
  }

  conflict(sheet, message) {
    this.status(sheet, `Case ${sheet.data.position}: ${message}`, true);
  }

  refused(sheet, message) {
    this.status(sheet, `Case ${sheet.data.position} is not saved: ${message}`, true);
  }

  progress() {
    const done = this.states.filter((state) => state === "done").length;
    const all = this.states.length;
    const finished = this.sheet?.reading.done;
    byId("where").replaceChildren(
      make("button", { type: "button", class: "plain", onclick: () => this.overview() },
        this.sheet ? `Case ${this.position} of ${all}${finished ? " ✓" : ""}` : "All cases"),
      make("progress", { max: all, value: done, "aria-label": "Finished cases" }),
      make("span", {}, `${done} finished`));
  }

  overview() {
    const go = (position) => () => {
      box.close();
      this.open(position);
    };
    const words = { done: "finished", begun: "begun", new: "new" };
    const buttons = this.states.map((state, n) =>
      make("button", {
        type: "button", class: `cell ${state}`, tabIndex: n + 1 === this.position ? 0 : -1, onclick: go(n + 1),
        "aria-label": `Case ${n + 1}, ${words[state]}`, "aria-current": n + 1 === this.position ? "true" : null,
      }, String(n + 1)));
    const grid = make("div", { class: "grid" }, buttons);
    const box = dialog("All cases", make("p", { class: "hint" }, "Filled: finished. Framed: begun. Arrow keys move, Enter opens."), grid);
    grid.addEventListener("keydown", (event) => {
      const perRow = Math.max(1, buttons.filter((b) => b.offsetTop === buttons[0].offsetTop).length);
      const steps = { ArrowLeft: -1, ArrowRight: 1, ArrowUp: -perRow, ArrowDown: perRow };
      const wanted = buttons[buttons.indexOf(document.activeElement) + (steps[event.key] ?? NaN)];
      if (!wanted) return;
      event.preventDefault();
      wanted.focus();
    });
    buttons[this.position - 1].focus();
  }

  help() {
    const rows = KEYS.map(([keys, what]) => make("tr", {}, make("th", { scope: "row" }, make("kbd", {}, keys)), make("td", {}, what)));
    dialog("Keys", make("table", { class: "help" }, make("tbody", {}, rows)));
  }

  // Show the keys that matter where the focus is.
  legend() {
    if (!this.sheet) return;
    const focus = document.activeElement;
    const asks = (question) => this.asked.includes(question);
    const two = this.sheet.two;
    if (focus.matches("textarea")) {
      const ends = focus.id === "comment" ? [["Esc", "leave the field"], ["Ctrl+Enter", "finish case"]] : [[["Enter", "Esc"], "end"], ["Shift+Enter", "new line"]];
      return showKeys(ends);
    }
    if (focus.closest(".lines"))
      return showKeys([[["↑", "↓"], "line"], ["Del", "delete"], ["r", "rewrite"], ["i", "insert"], [["1", "…", "4", "v"], "severity"],
        ["t", "reason"], ["u", "undo"], ["Esc", "leave the lines"], ["?", "all keys"]]);
    showKeys([
      ["Enter", "finish"], [["n", "p"], "next, previous"],
      ...(two ? [["x", "A or B"]] : []),
      ...(asks("rating") ? [[["0", "…", "5"], "rate"]] : []),
      ...(asks("errors") ? [[["a", "…", "f"], "add error"], ["Shift", "other error"]] : []),
      ...(asks("corrections") ? [["l", "correct lines"]] : []),
      ...(two && asks("preference") ? [[["7", "8", "9"], "A, same, B"], [["+", "−"], "sure"]] : []),
      ...(asks("comment") ? [["m", "comment"]] : []),
      ["u", "undo"], ["o", "all cases"], ["?", "all keys"],
    ]);
  }

  key(event) {
    if (document.querySelector("dialog[open]") || event.isComposing) return;
    if (!this.sheet && !this.moving) return event.key === "o" ? this.overview() : undefined;
    if (this.moving) {
      this.moving.push(event);
      return event.preventDefault();
    }
    const target = event.target;
    const typing = target.matches("textarea, input[type=text]");
    const key = event.key.toLowerCase();
    let act = null;
    if (event.ctrlKey || event.metaKey) {
      if (key === "enter") act = () => this.finish();
      else if (!typing && key === "z") act = () => this.sheet.undo(event.shiftKey);
      else if (!typing && key === "y") act = () => this.sheet.undo(true);
    } else if (event.altKey) return;
    else if (typing || target.closest(".lines")) {
      if (key === "escape") act = () => byId("main").focus({ preventScroll: true });
    }
    if (!act && !typing && !event.ctrlKey && !event.metaKey) act = this.shortcut(event, key, target);
    if (!act) return;
    event.preventDefault();
    act();
  }

  shortcut(event, key, target) {
    const { sheet } = this;
    const asks = (question) => this.asked.includes(question);
    if (target.matches("input[type=number]") && /^[0-9+-]$/.test(key)) return null;
    if (key === "enter") return target.matches("button, a, summary") ? null : () => this.finish();
    if (asks("errors") && key.length === 1 && LETTERS.includes(key))
      return () => sheet.addError(LETTERS.indexOf(key), event.shiftKey ? "insignificant" : "significant");
    if (asks("rating") && /^[0-5]$/.test(key)) return () => sheet.rate(sheet.active, Number(key));
    if (sheet.two && asks("preference") && "789".includes(key)) return () => sheet.prefer([0, "same", 1]["789".indexOf(key)]);
    if (sheet.two && asks("preference") && "+=-−".includes(key)) return () => sheet.surer("+=".includes(key) ? 1 : -1);
    const others = {
      n: () => this.move(1),
      p: () => this.move(-1),
      o: () => this.overview(),
      u: () => sheet.undo(event.shiftKey),
      "?": () => this.help(),
      x: sheet.two && (() => this.switchTo(1 - sheet.active)),
      l: asks("corrections") && (() => sheet.editors[sheet.active].enter()),
      m: asks("comment") && (() => byId("comment").focus()),
      escape: () => byId("main").focus({ preventScroll: true }),
    };
    return others[key] || null;
  }

  switchTo(i) {
    if (document.activeElement.closest(".candidate")) byId("main").focus({ preventScroll: true });
    this.sheet.activate(i);
    this.sheet.columns[i].scrollIntoView({ block: "nearest" });
    announce(`Keys act on candidate ${"AB"[i]}`);
  }
}
