"use strict";
// Sorts and filters the pairs, opens them, and switches the colours. The page works on what it contains: it asks nothing.
(() => {
  const form = document.getElementById("controls");
  const body = document.querySelector("#index tbody");
  const cards = document.getElementById("cards");
  const headings = [...document.querySelectorAll("#index th[data-key]")];
  const lowerIsBetter = new Set(headings.filter((h) => h.dataset.better === "lower").map((h) => h.dataset.key));

  const pairs = [...body.rows].map((row) => {
    const values = {};
    headings.forEach((heading, i) => { values[heading.dataset.key] = parseFloat(row.cells[i].dataset.value); });
    values.place = Number(row.dataset.place);
    const card = document.getElementById(`pair-${values.place}`);
    return { row, card, values, id: row.cells[0].textContent, errors: row.dataset.errors.split(" ") };
  });

  // one number per pair, the worst lowest; unscored pairs always come last
  const compare = (key, order) => (a, b) => {
    if (key === "id") {
      return (order === "best" ? -1 : 1) * a.id.localeCompare(b.id, undefined, { numeric: true });
    }
    const [x, y] = [a.values[key], b.values[key]];
    if (Number.isNaN(x) || Number.isNaN(y)) return Number.isNaN(x) - Number.isNaN(y) || a.values.place - b.values.place;
    const sign = (lowerIsBetter.has(key) ? -1 : 1) * (order === "best" ? -1 : 1);
    return sign * (x - y) || a.values.place - b.values.place;
  };

  const score = (value) => (Number.isNaN(value) ? "unscored" : value.toFixed(3));

  function sort() {
    const { sort: { value: key }, order: { value: order } } = form.elements;
    pairs.sort(compare(key, order));
    body.append(...pairs.map((pair) => pair.row));
    cards.append(...pairs.map((pair) => pair.card));
    headings.forEach((heading) => {
      heading.removeAttribute("aria-sort");
      if (heading.dataset.key === key) {
        heading.setAttribute("aria-sort", lowerIsBetter.has(key) === (order === "best") ? "ascending" : "descending");
      }
    });
    if (headings.some((heading) => heading.dataset.key === key && key !== "id")) {
      pairs.forEach((pair) => { pair.card.querySelector(".now").textContent = `${key} ${score(pair.values[key])}`; });
    }
  }

  function filter() {
    const { id, error, metric, from, to, unscored } = form.elements;
    const wanted = id.value.trim().toLowerCase();
    const [low, high] = [parseFloat(from.value), parseFloat(to.value)];
    let shown = 0;
    for (const pair of pairs) {
      const value = pair.values[metric.value];
      const fits = pair.id.toLowerCase().includes(wanted)
        && (!error || !error.value || pair.errors.includes(error.value))
        && (!unscored.checked || headings.some((h) => h.dataset.key !== "id" && Number.isNaN(pair.values[h.dataset.key])))
        && (Number.isNaN(low) || value >= low) && (Number.isNaN(high) || value <= high);
      pair.row.hidden = pair.card.hidden = !fits;
      shown += fits;
    }
    document.getElementById("shown").textContent = `${shown.toLocaleString("en")} of ${pairs.length.toLocaleString("en")} pairs shown`;
  }

  // the views of a pair by metric: JSON, compressed with zlib, in base64
  async function unpack(stored) {
    const bytes = Uint8Array.from(atob(stored), (letter) => letter.charCodeAt(0));
    const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
    return JSON.parse(await new Response(stream).text());
  }

  // a pair is drawn when it is opened for the first time: one tab per metric, and the view of the chosen one
  async function draw(card) {
    card.dataset.drawn = "yes";
    const { "": sheet, ...views } = await unpack(card.querySelector("script").textContent);
    const marked = document.createElement("div");
    marked.className = "panel";
    marked.innerHTML = sheet; // escaped when the page was written
    const pair = pairs.find((one) => one.card === card);
    const tabs = document.createElement("div");
    const panel = document.createElement("div");
    tabs.className = "tabs";
    tabs.setAttribute("role", "tablist");
    tabs.setAttribute("aria-label", "Metrics");
    panel.className = "panel";
    panel.id = `panel-${card.id}`;
    panel.setAttribute("role", "tabpanel");
    panel.tabIndex = 0;
    const buttons = Object.keys(views).map((name) => {
      const button = document.createElement("button");
      button.type = "button";
      button.id = `tab-${name}-${card.id}`;
      button.dataset.metric = name;
      button.setAttribute("role", "tab");
      button.setAttribute("aria-controls", panel.id);
      button.append(`${name} `, Object.assign(document.createElement("b"), { textContent: score(pair.values[name]) }));
      return button;
    });
    const choose = (chosen) => {
      buttons.forEach((button) => {
        button.setAttribute("aria-selected", button === chosen);
        button.tabIndex = button === chosen ? 0 : -1;
      });
      panel.setAttribute("aria-labelledby", chosen.id);
      panel.innerHTML = views[chosen.dataset.metric]; // escaped when the page was written
    };
    tabs.addEventListener("click", (event) => {
      const button = event.target.closest("button");
      if (button) choose(button);
    });
    tabs.addEventListener("keydown", (event) => {
      const steps = { ArrowRight: 1, ArrowLeft: -1, Home: -Infinity, End: Infinity };
      if (!(event.key in steps)) return;
      event.preventDefault();
      const now = buttons.findIndex((button) => button.tabIndex === 0);
      const last = buttons.length - 1;
      const next = Math.abs(steps[event.key]) === 1
        ? (now + steps[event.key] + buttons.length) % buttons.length
        : Math.min(Math.max(steps[event.key], 0), last);
      choose(buttons[next]);
      buttons[next].focus();
    });
    tabs.append(...buttons);
    card.append(marked, tabs, panel);
    choose(buttons.find((button) => button.dataset.metric === form.elements.sort.value) || buttons[0]);
  }

  function openLinked() {
    const card = document.getElementById(location.hash.slice(1));
    if (!card || !card.classList.contains("pair")) return; // a link inside a sheet is followed by the browser
    card.open = true;
    card.scrollIntoView({ block: "start" });
    card.querySelector("summary").focus({ preventScroll: true });
  }

  // "toggle" does not bubble, so it is caught on the way down; a card opened by a search in the page is drawn too
  cards.addEventListener("toggle", (event) => {
    const card = event.target;
    if (card.classList.contains("pair") && card.open && !card.dataset.drawn) draw(card);
  }, true);
  form.addEventListener("submit", (event) => event.preventDefault());
  form.addEventListener("input", (event) => {
    if (event.target.name === "sort" || event.target.name === "order") sort();
    else filter();
  });
  document.getElementById("clear").addEventListener("click", () => { form.reset(); sort(); filter(); });
  headings.forEach((heading) => heading.addEventListener("click", () => {
    const { sort: key, order } = form.elements;
    order.value = key.value === heading.dataset.key && order.value === "worst" ? "best" : "worst";
    key.value = heading.dataset.key;
    sort();
  }));
  document.querySelectorAll("button[data-show]").forEach((button) => button.addEventListener("click", () => {
    form.elements.error.value = button.dataset.show;
    filter();
    document.getElementById("pairs").scrollIntoView();
    form.elements.error.focus({ preventScroll: true });
  }));
  const openShown = (open) => pairs.forEach((pair) => { if (!pair.card.hidden || !open) pair.card.open = open; });
  document.getElementById("open-all").addEventListener("click", () => openShown(true));
  document.getElementById("close-all").addEventListener("click", () => openShown(false));
  document.querySelector("#theme select").addEventListener("change", (event) => {
    document.documentElement.dataset.theme = event.target.value.toLowerCase();
  });
  window.addEventListener("beforeprint", () => {
    document.querySelector("#summary details").open = true; // the signatures
  });
  // the same link can be followed twice, so clicks count too
  body.addEventListener("click", (event) => { if (event.target.closest("a")) setTimeout(openLinked); });
  window.addEventListener("hashchange", openLinked);
  form.reset();
  filter();
  openLinked();
})();
