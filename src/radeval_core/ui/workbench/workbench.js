// Runs once on the workbench: what is out of date, the scores before a change, undo, and the link to the pair.
(() => {
  // FNV-1a over UTF-16, as text_key in chips.py: the key of the texts that a result is about
  const keyOf = (texts) => {
    let key = 0x811c9dc5;
    for (const text of texts) {
      for (const letter of `${text || ""}\0`.split("")) key = Math.imul(key ^ letter.charCodeAt(0), 0x01000193) >>> 0;
    }
    return key.toString(16).padStart(8, "0");
  };
  const past = [];
  let before = null;
  let asked = "";

  window.workbench = {
    // grey what is out of date; drop an explanation that is about another pair
    changed(...fields) {
      const key = keyOf(fields);
      window.radeval.known = fields;
      const shown = document.querySelector("#wb-chips .wb-chips")?.dataset.key;
      for (const id of ["wb-chips", "wb-sheets", "wb-top"]) document.getElementById(id)?.classList.toggle("wb-stale", shown !== key);
      return key === asked ? { __type__: "update" } : "";
    },
    // new scores have arrived: draw ticks where the bars were before the last change
    shown(...fields) {
      window.workbench.changed(...fields);
      if (!before || before.key !== keyOf(fields)) return;
      for (const chip of document.querySelectorAll("#wb-chips .wb-chip")) {
        const width = before.widths[chip.dataset.metric];
        if (!width || chip.querySelector(".wb-before")) continue;
        const tick = document.createElement("i");
        tick.className = "wb-before";
        tick.style.left = width;
        chip.querySelector(".wb-track").append(tick);
      }
    },
    // a button is going to change a candidate: remember it, and the bars
    press(...fields) {
      const widths = {};
      for (const chip of document.querySelectorAll("#wb-chips .wb-chip")) {
        const bar = chip.querySelector(fields.at(-1) === "B" ? "i.wb-b" : "i.wb-a");
        if (bar) widths[chip.dataset.metric] = bar.style.width;
      }
      before = { key: "", widths };
      past.push(fields.slice(0, 3));
      if (past.length > 50) past.shift();
    },
    // the button has changed it: the ticks belong to these texts
    pressed(...fields) { if (before) before.key = keyOf(fields); },
    undo(...fields) { before = null; return past.pop() || fields.slice(0, 3); },
    ask(...fields) { asked = keyOf(fields); },
    see(id) {
      const place = document.getElementById(id);
      const calm = matchMedia("(prefers-reduced-motion: reduce)").matches;
      if (place) requestAnimationFrame(() => place.scrollIntoView({ block: "nearest", behavior: calm ? "auto" : "smooth" }));
    },
    async share(...fields) {
      const address = `${location.origin}${location.pathname}${await window.radeval.link.write(fields)}`;
      history.replaceState(null, "", address);
      await navigator.clipboard?.writeText(address).catch(() => {});
      return address;
    },
    async read(...fields) { return (await window.radeval.link.read()) || fields; },
    save() { document.querySelector("#wb-picture a[download]")?.click(); },
  };
})()
