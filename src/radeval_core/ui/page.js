// Runs once on every page: links between marks and their list, links that contain a pair, the bar of Spaces, Ctrl+Enter.
() => {
  // A link holds the pair after '#', which browsers never send to a server: JSON, compressed, in base64 for addresses.
  const encode = (bytes) => {
    const text = btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(""));
    return text.replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
  };
  const decode = (text) => Uint8Array.from(atob(text.replaceAll("-", "+").replaceAll("_", "/")), (letter) => letter.charCodeAt(0));
  const through = async (bytes, stream) => new Uint8Array(await new Response(new Blob([bytes]).stream().pipeThrough(stream)).arrayBuffer());
  const most = 400_000; // bytes of a pair; a damaged link must not fill the memory

  const link = {
    // fields: reference, candidate A, candidate B, age, sex, indication, history
    async write(fields) {
      const kept = [...fields].map((field) => field || "");
      while (kept.length > 2 && !kept.at(-1)) kept.pop();
      const bytes = new TextEncoder().encode(JSON.stringify(kept));
      return `#w=${encode(await through(bytes, new CompressionStream("deflate-raw")))}`;
    },
    async read(hash = location.hash) {
      const found = /^#(w|pair)=([\w-]+)$/.exec(hash);
      if (!found) return null;
      try {
        const stored = decode(found[2]);
        const bytes = found[1] === "pair" ? stored : await through(stored, new DecompressionStream("deflate-raw"));
        if (bytes.length > most) return null;
        const fields = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
        const good = Array.isArray(fields) && fields.length >= 2 && fields.length <= 7;
        if (good && fields.every((field) => typeof field === "string")) return [...fields, "", "", "", "", ""].slice(0, 7);
      } catch {
        // a damaged link opens the page with its example
      }
      return null;
    },
  };

  // the fields of the page; Gradio does not draw those of a folded part, so the last known value counts there
  const ids = ["reference", "candidate", "candidate-b", "context-age", "context-sex", "context-indication", "context-history"];
  const value = (id, i) => document.querySelector(`#${id} textarea, #${id} input`)?.value ?? window.radeval.known[i] ?? "";
  const fields = () => ids.map(value);

  document.addEventListener("click", async (event) => {
    const anchor = event.target.closest?.("a[href]");
    if (!anchor) return;
    // a mark and its entry in the list: follow the link without changing the address, which may hold a pair
    if (anchor.matches('.rs a[href^="#"]')) {
      const place = document.getElementById(anchor.hash.slice(1));
      if (!place) return;
      event.preventDefault();
      const folded = place.closest("details");
      if (folded) folded.open = true;
      const calm = matchMedia("(prefers-reduced-motion: reduce)").matches;
      place.scrollIntoView({ block: "nearest", behavior: calm ? "auto" : "smooth" });
      (place.matches("a") ? place : place.querySelector("a")).focus({ preventScroll: true });
    } else if (anchor.dataset.space && !event.ctrlKey && !event.metaKey && !event.shiftKey) {
      const pair = fields();
      event.preventDefault();
      const base = sibling(anchor.dataset.space) || anchor.href;
      location.href = base + (pair[0] || pair[1] ? await link.write(pair) : "");
    }
  });

  // the address of another Space on this server, if it serves all of them
  const sibling = (name) => {
    const own = document.querySelector(".rv-nav")?.dataset.own;
    const mounted = own && location.pathname.replace(/\/$/, "").endsWith(`/${own}`);
    return mounted ? `${location.pathname.replace(/\/$/, "").slice(0, -own.length)}${name}/` : "";
  };

  // Gradio names the search field of a table only in its tooltip, which not every screen reader says
  const name = () => document.querySelectorAll("input.search-input[title]:not([aria-label])").forEach((field) => { field.setAttribute("aria-label", field.title); });
  // and gives an upload field a name that differs from the words on it
  const rename = () => document.querySelectorAll("button.upload-container[aria-label]").forEach((field) => field.removeAttribute("aria-label"));
  new MutationObserver(() => { name(); rename(); }).observe(document.body, { childList: true, subtree: true });
  name();
  rename();

  document.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey)) return;
    event.preventDefault();
    // the page takes over what was typed a moment ago before the button is pressed
    setTimeout(() => document.getElementById("score")?.click(), 50);
  }, true);

  window.radeval = { link, fields, known: [] };
}
