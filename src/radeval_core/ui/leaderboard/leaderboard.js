// Runs once on the leaderboard: links within the page, the filter, the CSV file, and the address of what is shown.
(() => {
  const keys = ["tab", "metric", "part", "system", "a", "b"];
  const named = { ranking: ["metric", "part"], systems: ["system"], compare: ["a", "b"] };
  const long = 12; // characters of an id in an address
  const state = {};
  let first = "";
  let send = null;
  let pressed = "";

  const address = () => {
    const wanted = ["tab", ...(named[state.tab] || [])].filter((key) => state[key]);
    const short = (key) => (["system", "a", "b"].includes(key) ? state[key].slice(0, long) : state[key]);
    const found = new URLSearchParams(wanted.map((key) => [key, short(key)]));
    return `#${found}`.replaceAll("%3A", ":");
  };
  const table = () => document.querySelector("#ranking-table table.lb");
  const say = (words) => { const place = document.getElementById("lb-status"); if (place) place.textContent = words; };

  // Ask the server for what an address names. What it does not name stays as it is.
  const go = (hash) => {
    const asked = Object.fromEntries(new URLSearchParams(hash.slice(1)));
    const wanted = new URLSearchParams(keys.map((key) => [key, asked[key] ?? state[key] ?? ""]));
    document.getElementById("ranking-table")?.classList.add("lb-stale");
    send?.(`#${wanted}`);
  };

  const filter = () => {
    const words = (document.getElementById("lb-find")?.value || "").toLowerCase().split(/\s+/).filter(Boolean);
    const rows = [...(table()?.querySelectorAll("tr[data-values]") || [])];
    for (const row of rows) {
      const [, kind, name] = JSON.parse(row.dataset.values);
      const text = `${name} ${kind}`.toLowerCase();
      row.hidden = !words.every((word) => text.includes(word));
    }
    for (const body of table()?.tBodies || []) {
      const own = [...body.querySelectorAll("tr[data-values]")];
      if (body.classList.contains("lb-none")) body.hidden = !rows.length || rows.some((row) => !row.hidden);
      else if (own.length) body.hidden = own.every((row) => row.hidden);
    }
    say(words.length ? `${rows.filter((row) => !row.hidden).length} of ${rows.length} shown` : "");
  };

  // A spreadsheet runs a text that begins like a formula: a quote before it keeps it a text.
  const cell = (value) => {
    const text = typeof value === "string" && /^[=+\-@\t\r]/.test(value) ? `'${value}` : String(value ?? "");
    return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
  };
  const save = () => {
    const shown = [...table().querySelectorAll("tr[data-values]")].filter((row) => !row.hidden);
    const rows = [table().dataset.columns, ...shown.map((row) => row.dataset.values)].map((row) => JSON.parse(row));
    const text = rows.map((row) => `${row.map(cell).join(",")}\r\n`).join("");
    const link = document.createElement("a");
    link.href = URL.createObjectURL(new Blob([text], { type: "text/csv" }));
    link.download = [document.getElementById("lb-tools").dataset.name, state.metric, state.part].filter(Boolean).join("_").replace(/[^\w-]+/g, "-") + ".csv";
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
    say(`saved ${shown.length} rows`);
  };

  // The link is also shown: a browser lets a page copy it only over HTTPS or on the own machine.
  const share = async () => {
    const link = `${location.origin}${location.pathname}${location.search}${address()}`;
    const field = document.getElementById("lb-link");
    field.value = link;
    field.hidden = false;
    field.select();
    const copied = await navigator.clipboard?.writeText(link).then(() => true, () => false);
    say(copied ? "Link copied" : "Copy the link from the field");
  };

  document.addEventListener("click", (event) => {
    const place = event.target.closest?.("[data-go], [data-clear], #lb-csv, #lb-share");
    if (!place || event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    if (place.id === "lb-csv") save();
    else if (place.id === "lb-share") share();
    else if (place.dataset.go) {
      pressed = place.dataset.go;
      history.pushState(null, "", place.dataset.go);
      go(place.dataset.go);
    } else {
      document.getElementById("lb-find").value = "";
      filter();
      document.getElementById("lb-find").focus();
    }
  });
  document.addEventListener("input", (event) => { if (event.target.id === "lb-find") filter(); });
  addEventListener("popstate", () => go(location.hash || first));

  window.leaderboard = {
    address: () => location.hash,
    connect: (trigger) => { send = (hash) => trigger("click", { address: hash }); },
    // the server has answered: the address names what is shown, and the focus stays where it was
    shown(...values) {
      keys.forEach((key, i) => { state[key] = values[i] || ""; });
      first ||= address();
      if (location.hash || address() !== first) history.replaceState(null, "", address());
      document.getElementById("ranking-table")?.classList.remove("lb-stale");
      filter();
      if (pressed) document.querySelector(`#ranking-table [data-go="${CSS.escape(pressed)}"]`)?.focus();
      pressed = "";
    },
  };
})()
