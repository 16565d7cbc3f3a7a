// The owner's page: who has read how much, how well readers agree so far, links and downloads.

import { byId, make, show, showKeys } from "./dom.js";
import { get, getFile, post } from "./server.js";

const MEASURES = { errors: "All errors", significant_errors: "Significant errors", rating: "Rating" };
const FILES = [["rated.jsonl", "Ratings and errors"], ["corrections.jsonl", "Corrections"], ["comments.jsonl", "Comments"]];
const number = (value) => (value === null || value === undefined ? "–" : value.toFixed(2));

function table(head, rows, caption) {
  const cell = (tag, scope) => (content) => make(tag, { scope }, content);
  return make("div", { class: "scroll", tabIndex: 0, role: "region", "aria-label": caption },
    make("table", { class: "plain-table" }, make("caption", {}, caption),
      make("thead", {}, make("tr", {}, head.map(cell("th", "col")))),
      make("tbody", {}, rows.map(([first, ...rest]) => make("tr", {}, make("th", { scope: "row" }, first), rest.map(cell("td")))))));
}

function interval(estimate, enough) {
  if (!estimate || estimate.n < enough) return `after ${enough} candidates`;
  const ends = estimate.ci95?.every((end) => end !== null) ? ` (${estimate.ci95.map(number).join(" to ")})` : "";
  return number(estimate.value) + ends;
}

function agreementPart({ readers, enough, measures, preference }) {
  if (readers.length < 2)
    return [make("p", { class: "hint" }, "Agreement is shown when two readers have finished cases.")];
  const parts = [table(["Measure", "ICC, one reader", "ICC, mean of readers", "Candidates read by all"],
    Object.entries(measures).map(([name, m]) => [MEASURES[name] ?? name, interval(m.icc_single, enough), interval(m.icc_average, enough), String(m.icc_single?.n ?? 0)]),
    "Intraclass correlation, with 95 % intervals")];
  for (const [name, { matrix }] of Object.entries(measures)) {
    const names = [...readers, "mean of all"];
    parts.push(table(["", ...readers], matrix.map((row, i) => [names[i], ...row.slice(0, readers.length).map((v, j) => (i === j ? "" : number(v)))]),
      `Kendall's tau: ${MEASURES[name] ?? name}`));
  }
  if (preference.length)
    parts.push(table(["Readers", "Same preference", "Cases"],
      preference.map((p) => [p.readers.join(" and "), `${((100 * p.alike) / p.cases).toFixed(0)} %`, String(p.cases)]), "Preference"));
  return parts;
}

function linksPart(demo) {
  if (demo) return [];
  const shown = make("p", { class: "new-link", role: "status" });
  const name = make("input", { type: "text", id: "reader-name", autocomplete: "off", maxlength: 40 });
  const ask = async (again) => {
    try {
      const made = await post("readers", { name: name.value.trim(), again });
      const address = `${location.origin}${location.pathname}#${made.name}.${made.secret}`;
      await owner(demo);
      byId("new-link").replaceChildren("Link of ", make("b", {}, made.name), ", shown only now: ", make("code", {}, address));
    } catch (error) {
      shown.textContent = error.message;
    }
  };
  shown.id = "new-link";
  const form = make("form", { class: "row", onsubmit: (event) => { event.preventDefault(); ask(false); } },
    make("label", { for: "reader-name" }, "Name of a reader"), name,
    make("button", { class: "primary" }, "Add reader"),
    make("button", { type: "button", class: "plain", onclick: () => ask(true) }, "New link for this reader"));
  return [make("h2", {}, "Links"), form, shown,
    make("p", { class: "hint" }, "A link opens the cases of one reader. Give it to that reader only. A new link ends the old one.")];
}

function downloadPart(demo) {
  if (demo) return [];
  const trouble = make("p", { class: "hint", role: "status" }, "Finished cases only. The command `radeval read export` writes the same files.");
  const save = (file) => async () => {
    try {
      const address = URL.createObjectURL(await getFile(`export/${file}`));
      const link = make("a", { href: address, download: file });
      link.click();
      URL.revokeObjectURL(address);
    } catch (error) {
      trouble.textContent = error.message;
    }
  };
  const buttons = FILES.map(([file, label]) => make("button", { type: "button", class: "plain", onclick: save(file) }, `${label} (${file})`));
  return [make("h2", {}, "Export"), make("div", { class: "row" }, buttons), trouble];
}

export async function owner(demo = false) {
  const found = await get("owner");
  const { study, progress } = found;
  byId("where").replaceChildren(make("span", {}, `${study.cases} cases, ${progress.length} readers`));
  showKeys([["Tab", "move"], ["Enter", "press"]]);
  const rows = progress.map((p) => [p.reader, `${p.done} of ${p.cases}`, String(p.begun), p.last ? p.last.slice(0, 16).replace("T", " ") : "–"]);
  const again = make("button", { type: "button", class: "plain", onclick: () => owner(demo) }, "Refresh");
  const about = `Readers are asked for: ${study.asked.join(", ")}. ` +
    (study.prefilled_by ? `First answers are filled in by ${study.prefilled_by}.` : "No answers are filled in by a judge.");
  show(make("article", { class: "owner" },
    make("p", {}, about),
    make("h2", {}, "Progress"), progress.length ? table(["Reader", "Finished", "Begun", "Last change (UTC)"], rows, "Readers") : make("p", { class: "hint" }, "No readers yet."), again,
    make("h2", {}, "Agreement so far"), agreementPart(found.agreement),
    linksPart(demo), downloadPart(demo)));
}
