// The lines of a candidate and their corrections: delete, rewrite, insert, severity, reason. One line has the focus.

import { announce, make } from "./dom.js";
import { SEVERITIES } from "./words.js";

const MAX = 200;

export function lineEditor(sheet, i, texts, name) {
  let editing = null; // { item, what }: the item whose text or reason is being typed
  let at = 0; // the item that the arrow keys are on
  const list = make("ol", { class: "lines", "aria-label": `Lines of ${name}` });
  const corrections = () => sheet.reading.candidates[i].corrections;

  // the lines of the report, then the insertions; `place` is the position in the list of corrections, or -1
  const items = () => [
    ...texts.map((text, line) => {
      const place = corrections().findIndex((c) => c.action !== "insert" && c.line === line);
      return { text, line, place };
    }),
    ...corrections().flatMap((c, place) => (c.action === "insert" ? [{ text: "", line: null, place }] : [])),
  ];
  const item = (n) => items()[n];
  const change = (edit, field) => sheet.edit((reading) => edit(reading.candidates[i].corrections), field);

  function remove(n) {
    const { line, place } = item(n);
    if (line === null || corrections()[place]?.action === "delete") change((all) => all.splice(place, 1));
    else if (place >= 0) change((all) => Object.assign(all[place], { action: "delete", corrected: "" }));
    else change((all) => all.push({ line, action: "delete", corrected: "", rating: null, comment: "" }));
    focus(Math.min(n, items().length - 1));
  }

  function rewrite(n) {
    const { text, line, place } = item(n);
    if (place < 0) change((all) => all.push({ line, action: "rewrite", corrected: text.trim(), rating: null, comment: "" }));
    else if (corrections()[place].action === "delete")
      change((all) => Object.assign(all[place], { action: "rewrite", corrected: text.trim() }));
    edit(n, "corrected");
  }

  function insert() {
    if (corrections().length >= MAX) return;
    change((all) => all.push({ line: null, action: "insert", corrected: "", rating: null, comment: "" }));
    edit(items().length - 1, "corrected");
  }

  function rate(n, rating) {
    const { place } = item(n);
    if (place < 0) return announce("First delete or rewrite the line, then rate the error");
    change((all) => (all[place].rating = rating));
    focus(n);
  }

  function edit(n, what) {
    if (item(n).place < 0) return announce("First delete or rewrite the line, then give a reason");
    editing = { n, what };
    at = n;
    draw();
    const area = list.querySelector("textarea");
    area.focus();
    area.setSelectionRange(area.value.length, area.value.length);
  }

  // Leave the text field. A rewritten line that is empty is deleted; one that is as before is no correction.
  function finish(refocus = true) {
    if (!editing) return;
    const { n, what } = editing;
    const { text, line, place } = item(n);
    const given = corrections()[place];
    editing = null;
    if (what === "corrected" && given) {
      const written = given.corrected.trim();
      if (line === null && !written) change((all) => all.splice(place, 1), "empty");
      else if (line !== null && !written) change((all) => Object.assign(all[place], { action: "delete" }), "empty");
      else if (line !== null && written === text.trim()) change((all) => all.splice(place, 1), "same");
    }
    draw();
    if (refocus) focus(Math.min(n, items().length - 1));
  }

  function focus(n) {
    at = n;
    draw();
    list.children[n]?.focus();
  }

  function area(n, what, correction) {
    const label = what === "comment" ? "Reason" : correction.action === "insert" ? "Missing line" : "Corrected line";
    const field = make("textarea", {
      rows: 2, maxlength: 10000, "aria-label": label, value: correction[what],
      oninput: () => change((all) => (all[item(n).place][what] = field.value), `${what}-${n}`),
      onblur: () => setTimeout(() => editing && !list.contains(document.activeElement) && finish(false)),
      onkeydown: (event) => {
        event.stopPropagation();
        const ends = event.key === "Escape" || (event.key === "Enter" && !event.shiftKey);
        if (!ends || event.isComposing) return;
        event.preventDefault();
        finish();
      },
    });
    return make("label", { class: "editor" }, make("span", { class: "hint" }, `${label}; Enter ends`), field);
  }

  function toolbar(n, correction) {
    const tool = (key, label, act, pressed) =>
      make("button", { type: "button", class: "tool", tabIndex: -1, "aria-pressed": pressed, onclick: act },
        make("kbd", {}, key), ` ${label}`);
    const kept = correction === null;
    return make("div", { class: "tools" },
      tool("Del", { delete: "Keep as it was", insert: "Remove" }[correction?.action] ?? "Delete", () => remove(n)),
      correction?.action === "delete" ? null : tool("r", correction?.action === "insert" ? "Edit" : "Rewrite", () => rewrite(n)),
      kept ? null : SEVERITIES.map(([key, rating, word]) =>
        tool(key, word, () => rate(n, rating), String(correction.rating === rating))),
      kept ? null : tool("t", "Reason", () => edit(n, "comment")));
  }

  function row({ text, place }, n) {
    const correction = place < 0 ? null : corrections()[place];
    const severity = correction && SEVERITIES.findIndex(([, rating]) => rating === correction.rating);
    const level = severity === 4 ? 1 : severity + 1;
    const parts = [
      text && make(correction ? "del" : "span", { class: "text" }, text.trim()),
      correction && correction.corrected && !(editing?.n === n && editing.what === "corrected")
        ? make("ins", { class: "text" }, correction.corrected) : null,
      correction && make("span", { class: `badge level-${level}` }, severity < 0 ? "severity?" : SEVERITIES[severity][2]),
      correction?.comment && editing?.what !== "comment" ? make("span", { class: "reason" }, correction.comment) : null,
      editing?.n === n ? area(n, editing.what, correction) : null,
      toolbar(n, correction),
    ];
    const flat = parts.flatMap((part, k) => (part && k ? [" ", part] : [part]));
    return make("li", { tabIndex: n === at ? 0 : -1, class: correction ? correction.action : "keep", "data-n": n }, flat);
  }

  function draw() {
    const inside = list.contains(document.activeElement) && document.activeElement.closest("li")?.dataset.n;
    const found = items();
    at = Math.max(0, Math.min(at, found.length - 1));
    list.replaceChildren(...found.map(row));
    if (inside && !editing) list.children[Math.min(inside, found.length - 1)]?.focus();
  }

  list.addEventListener("focusin", (event) => {
    const n = Number(event.target.closest("li")?.dataset.n);
    if (Number.isNaN(n) || n === at) return;
    list.children[at]?.setAttribute("tabindex", "-1");
    at = n;
    list.children[at].setAttribute("tabindex", "0");
  });
  list.addEventListener("click", (event) => {
    if (!event.target.closest("button, textarea, label")) event.target.closest("li")?.focus();
  });
  list.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || !event.target.matches("li")) return;
    const severity = SEVERITIES.find(([key]) => key === event.key.toLowerCase());
    const last = items().length - 1;
    if (event.key === "ArrowDown") focus(Math.min(at + 1, last));
    else if (event.key === "ArrowUp") focus(Math.max(at - 1, 0));
    else if (event.key === "Delete" || event.key === "Backspace") remove(at);
    else if (event.key === "r" || event.key === "Enter") rewrite(at);
    else if (event.key === "i") insert();
    else if (event.key === "t") edit(at, "comment");
    else if (severity) rate(at, severity[1]);
    else if (/^[05-9]$/.test(event.key)) announce("Severity goes from 1 to 4; press Esc to rate the candidate");
    else return;
    event.preventDefault();
    event.stopPropagation();
  });

  const add = make("button", { type: "button", class: "plain", onclick: insert }, make("kbd", {}, "i"), " Insert a missing line");
  const paint = () => {
    if (list.contains(document.activeElement) && document.activeElement.matches("textarea")) return;
    editing = null;
    draw();
  };
  return { element: make("div", { class: "line-editor" }, list, add), paint, enter: () => (items().length ? focus(at) : insert()), list };
}
