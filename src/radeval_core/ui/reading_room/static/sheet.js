// One open case: its texts, the reader's answers, their history, and how they are saved and drawn.

import { commentField, errorTable, preferenceField, ratingField } from "./answers.js";
import { announce, make } from "./dom.js";
import { History } from "./history.js";
import { lineEditor } from "./lines.js";
import { Saver } from "./saver.js";
import { CATEGORIES, CONTEXT, CONFIDENCE, RATINGS, SIGNIFICANCE, candidateName } from "./words.js";

const MAX_COUNT = 50;

export class Sheet {
  // on: status, saved, refused and conflict, see desk.js
  constructor(data, asked, on) {
    Object.assign(this, { asked, on, history: new History(), active: 0, element: make("article", { class: "sheet" }) });
    this.load(data);
  }

  load(data) {
    Object.assign(this, { data, reading: data.reading, missing: data.missing });
    this.saver = new Saver(data.position, data.revision, {
      status: (...words) => this.on.status(this, ...words),
      saved: (answer, newest) => {
        this.missing = answer.missing;
        if (newest) this.reading.done = answer.reading.done;
        this.on.saved(this, newest);
      },
      conflict: (found, message) => {
        this.load(found);
        this.on.conflict(this, message);
      },
      refused: (message) => this.on.refused(this, message),
    });
    this.active = Math.min(this.active, data.candidates.length - 1);
    this.build();
  }

  get two() {
    return this.data.candidates.length === 2;
  }

  // Change the reading, save it, and draw it. `field` names a text field that is being typed into.
  edit(change, field = null) {
    this.history.remember(this.reading, field);
    change(this.reading);
    this.store();
  }

  store(now = false) {
    this.paint();
    return this.saver.change(this.reading, now);
  }

  rate(i, rating) {
    this.edit((reading) => (reading.candidates[i].rating = rating));
    announce(`${candidateName(i, this.data.candidates.length)}: rating ${rating}, ${RATINGS[rating]}`);
  }

  setCount(i, category, kind, number) {
    const errors = this.reading.candidates[i].errors;
    const before = errors[category]?.[kind] ?? 0;
    const now = Math.max(0, Math.min(MAX_COUNT, number));
    if (now === before) return this.paint();
    this.edit((reading) => {
      const counts = (reading.candidates[i].errors[category] ??= { significant: 0, insignificant: 0 });
      counts[kind] = now;
    });
    const title = CATEGORIES.find(([name]) => name === category)[1];
    announce(`${SIGNIFICANCE.find(([name]) => name === kind)[1]} ${title.toLowerCase()}: ${now}`);
  }

  addError(number, kind) {
    const [category] = CATEGORIES[number];
    this.setCount(this.active, category, kind, (this.reading.candidates[this.active].errors[category]?.[kind] ?? 0) + 1);
  }

  prefer(value) {
    this.edit((reading) => (reading.preferred = value));
    announce(value === "same" ? "No difference" : `${"AB"[value]} is better`);
  }

  sure(value) {
    this.edit((reading) => (reading.confidence = value));
    announce(`How sure: ${CONFIDENCE[value - 1]}`);
  }

  surer(by) {
    const now = this.reading.confidence;
    this.sure(now === null ? 3 : Math.max(1, Math.min(5, now + by)));
  }

  finish() {
    this.reading.done = true;
    return this.store(true);
  }

  undo(redo = false) {
    const before = redo ? this.history.redo(this.reading) : this.history.undo(this.reading);
    if (!before) return announce(redo ? "Nothing to redo" : "Nothing to undo");
    Object.assign(this.reading, before);
    announce(redo ? "Redone" : "Undone");
    this.store();
  }

  activate(i) {
    this.active = i;
    this.columns.forEach((column, n) => column.classList.toggle("active", this.two && n === i));
  }

  build() {
    const { references, candidates, context, prefilled } = this.data;
    const known = Object.entries(context).map(([key, value]) => [make("dt", {}, CONTEXT[key] ?? key), make("dd", {}, value)]);
    const reference = make("section", { class: "column reference", "aria-label": "Reference" },
      make("h2", {}, references.length > 1 ? "References" : "Reference"),
      known.length ? make("dl", { class: "context" }, known) : null,
      references.map((text) => make("div", { class: "report" }, text)));
    this.fields = [];
    this.editors = [];
    this.columns = candidates.map((candidate, i) => this.column(candidate, i));
    const below = [];
    if (this.two && this.asked.includes("preference")) below.push(preferenceField(this));
    if (this.asked.includes("comment")) below.push(commentField(this));
    this.fields.push(...below);
    this.element.className = `sheet ${this.two ? "two" : "one"}`;
    this.element.replaceChildren(
      ...(prefilled ? [make("p", { class: "notice" }, "A judge has filled in first answers. Check every one of them.")] : []),
      make("div", { class: "columns" }, reference, this.columns),
      make("div", { class: "below" }, below.map((field) => field.element)));
    this.activate(this.active);
    this.paint();
  }

  column({ lines }, i) {
    const name = candidateName(i, this.data.candidates.length);
    const parts = [];
    if (this.asked.includes("corrections")) {
      const editor = lineEditor(this, i, lines, name);
      this.editors[i] = editor;
      parts.push(editor);
    } else parts.push({ element: make("div", { class: "report" }, lines.join("")), paint: () => {} });
    if (this.asked.includes("rating")) parts.push(ratingField(this, i));
    if (this.asked.includes("errors")) parts.push(errorTable(this, i));
    this.fields.push(...parts);
    const empty = lines.length ? null : make("p", { class: "hint" }, "This report is empty.");
    return make("section", { class: "column candidate", "aria-label": name, onfocusin: () => this.activate(i) },
      make("h2", {}, name), empty, parts.map((part) => part.element));
  }

  paint() {
    this.fields.forEach((field) => field.paint());
    this.element.classList.toggle("done", this.reading.done);
  }
}
