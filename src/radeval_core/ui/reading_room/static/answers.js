// The fields of a case: rating, counted errors, preference and comment. Each returns { element, paint }.

import { make } from "./dom.js";
import { CATEGORIES, CONFIDENCE, LETTERS, RATINGS, SIGNIFICANCE } from "./words.js";

const MAX = 50;

function choices(name, legend, options, value, choose) {
  const inputs = options.map(([own, label, title, key]) => {
    const input = make("input", { type: "radio", name, value: String(own), onchange: () => choose(own) });
    const shown = make("span", {}, key ? make("kbd", {}, key) : null, key ? " " : null, label);
    return [own, input, make("label", { class: "choice", title }, input, shown)];
  });
  const paint = () => {
    for (const [own, input] of inputs) input.checked = value() === own;
  };
  const labels = inputs.map(([, , label]) => label);
  const element = make("fieldset", { class: "choices" }, make("legend", {}, legend), make("div", {}, labels));
  return { element, paint };
}

export function ratingField(sheet, i) {
  const options = RATINGS.map((words, n) => [n, String(n), `${n}: ${words}`, null]);
  const mine = () => sheet.reading.candidates[i];
  const field = choices(`rating-${i}`, "Rating", options, () => mine().rating, (n) => sheet.rate(i, n));
  const words = make("p", { class: "hint rating-words" });
  field.element.append(words);
  const paint = () => {
    field.paint();
    const given = mine().rating;
    words.textContent = given === null ? "0 dangerous … 5 as good as the reference" : `${given}: ${RATINGS[given]}`;
  };
  return { element: field.element, paint };
}

export function errorTable(sheet, i) {
  const cells = [];
  const count = (category, kind) => sheet.reading.candidates[i].errors[category]?.[kind] ?? 0;
  const cell = ([category, title], [kind, kindTitle]) => {
    const label = `${title}, ${kindTitle.toLowerCase()}`;
    const set = (n) => sheet.setCount(i, category, kind, n);
    const input = make("input", {
      type: "number", min: 0, max: MAX, step: 1, inputmode: "numeric", "aria-label": label,
      oninput: () => set(Number.parseInt(input.value, 10) || 0),
      onfocus: () => input.select(),
    });
    cells.push([input, category, kind]);
    const step = (by, sign) =>
      make("button", {
        type: "button", class: "step", tabIndex: -1, "aria-label": `${sign} ${label}`,
        onclick: () => set(count(category, kind) + by),
      }, sign);
    return make("td", {}, make("span", { class: "stepper" }, step(-1, "−"), input, step(1, "+")));
  };
  const head = make("tr", {}, make("th", { scope: "col" }, "Errors"),
    SIGNIFICANCE.map(([, title, about]) => make("th", { scope: "col", title: about }, title)));
  const rows = CATEGORIES.map((category, n) =>
    make("tr", {},
      make("th", { scope: "row", title: category[2] }, make("kbd", {}, LETTERS[n]), ` ${category[1]}`,
        make("span", { class: "hint about" }, category[2])),
      SIGNIFICANCE.map((kind) => cell(category, kind))));
  const element = make("table", { class: "errors" }, make("thead", {}, head), make("tbody", {}, rows));
  const paint = () => {
    for (const [input, category, kind] of cells) {
      const now = count(category, kind);
      input.classList.toggle("some", now > 0);
      if ((Number.parseInt(input.value, 10) || 0) !== now || input.value === "") {
        if (input !== document.activeElement || input.value !== "") input.value = now;
      }
    }
  };
  return { element, paint };
}

export function preferenceField(sheet) {
  const options = [[0, "A is better", "", "7"], ["same", "No difference", "", "8"], [1, "B is better", "", "9"]];
  const preferred = choices("preferred", "Which candidate is better?", options,
    () => sheet.reading.preferred, (value) => sheet.prefer(value));
  const sure = choices("confidence", "How sure are you?", CONFIDENCE.map((words, n) => [n + 1, words, "", null]),
    () => sheet.reading.confidence, (value) => sheet.sure(value));
  sure.element.append(make("p", { class: "hint" }, make("kbd", {}, "+"), " ", make("kbd", {}, "−"), " more or less sure"));
  const element = make("section", { class: "preference", "aria-label": "Preference" }, preferred.element, sure.element);
  return { element, paint: () => [preferred, sure].forEach((field) => field.paint()) };
}

export function commentField(sheet) {
  const area = make("textarea", {
    id: "comment", rows: 2, maxlength: 10000,
    oninput: () => sheet.edit((reading) => (reading.comment = area.value), "comment"),
  });
  const label = make("label", { for: "comment" }, "Comment ", make("kbd", {}, "m"));
  const paint = () => {
    if (area.value !== sheet.reading.comment) area.value = sheet.reading.comment;
  };
  return { element: make("section", { class: "comment" }, label, area), paint };
}
