// Runs once on the file page: the table of pairs (sort, search, kinds of errors), what is saved, and where to look.
(() => {
  let places = null; // the places that a search found; null for all
  const index = () => document.getElementById("index");
  const rows = () => [...(index()?.querySelectorAll("tbody tr") || [])];

  // hide what does not match the search and the kind of error, and say how many are left
  function filter() {
    if (!index()) return;
    const error = document.getElementById("fp-error")?.value || "";
    const wanted = places && new Set(places);
    let shown = 0;
    for (const row of rows()) {
      row.hidden = (wanted && !wanted.has(Number(row.dataset.place))) || (error && !row.dataset.errors.split(" ").includes(error));
      shown += !row.hidden;
    }
    let count = document.getElementById("fp-count");
    if (!count) {
      count = Object.assign(document.createElement("p"), { id: "fp-count", className: "fp-count" });
      count.setAttribute("role", "status");
      index().before(count);
    }
    const total = rows().length;
    count.textContent = shown ? `${shown.toLocaleString("en")} of ${total.toLocaleString("en")} pairs` : "No pair matches. Change the search or the kind of error.";
  }

  // a heading sorts: the worst first, then the best first; unscored pairs stay last
  function sort(heading) {
    const column = [...heading.parentElement.children].indexOf(heading);
    const worst = heading.dataset.better === "lower" ? "descending" : "ascending";
    const best = worst === "ascending" ? "descending" : "ascending";
    const order = heading.getAttribute("aria-sort") === worst ? best : worst;
    for (const other of heading.parentElement.children) other.removeAttribute("aria-sort");
    heading.setAttribute("aria-sort", order);
    const sign = order === "ascending" ? 1 : -1;
    const value = (row) => row.children[column].dataset.value;
    const compare = (a, b) => {
      if (heading.dataset.key === "id") return sign * a.children[0].textContent.localeCompare(b.children[0].textContent, "en", { numeric: true });
      const [x, y] = [value(a), value(b)];
      if (x === undefined || y === undefined) return (x === undefined) - (y === undefined);
      return sign * (Number(x) - Number(y)) || Number(a.dataset.place) - Number(b.dataset.place);
    };
    index().querySelector("tbody").append(...rows().sort(compare));
  }

  document.addEventListener("click", (event) => {
    const heading = event.target.closest?.("#index thead th[data-key]");
    if (heading && event.target.closest("button")) sort(heading);
    const kind = event.target.closest?.("#fp-sections button[data-show]");
    const choice = document.getElementById("fp-error");
    if (kind && choice) {
      choice.value = kind.dataset.show;
      filter();
      window.filePage.see("fp-pairs");
      choice.focus({ preventScroll: true });
    }
  });
  document.addEventListener("change", (event) => { if (event.target.id === "fp-error") filter(); });

  // a new table has no count yet; Gradio gives its upload buttons a name that differs from their words
  const arrange = () => {
    if (index() && !document.getElementById("fp-count")) filter();
    document.querySelectorAll("[id^=fp-upload] button.upload-container[aria-label]").forEach((button) => button.removeAttribute("aria-label"));
  };
  new MutationObserver(arrange).observe(document.body, { childList: true, subtree: true });
  arrange();

  window.filePage = {
    found(found) { places = Array.isArray(found) ? found : null; filter(); },
    arrived() { places = null; if (document.getElementById("index")) { filter(); window.filePage.see("fp-status"); } },
    see(id) {
      const place = document.getElementById(id);
      const calm = matchMedia("(prefers-reduced-motion: reduce)").matches;
      if (place) requestAnimationFrame(() => place.scrollIntoView({ block: "start", behavior: calm ? "auto" : "smooth" }));
    },
    // save a file that came as text, and forget it
    save(file) {
      if (!file?.name) return null;
      const link = document.createElement("a");
      link.href = URL.createObjectURL(new Blob([file.text], { type: `${file.kind};charset=utf-8` }));
      link.download = file.name;
      document.body.append(link);
      link.click();
      link.remove();
      setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
      return null;
    },
  };
})()
