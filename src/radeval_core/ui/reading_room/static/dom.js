// Make elements. Texts become text nodes: nothing that a report or a reader says is markup.

export function make(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === undefined || value === null || value === false) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (name === "class") element.className = value;
    else if (["value", "checked", "disabled", "tabIndex"].includes(name)) element[name] = value;
    else element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...children.flat(Infinity).filter((child) => child !== null && child !== undefined && child !== false));
  return element;
}

export const byId = (id) => document.getElementById(id);

export function show(...children) {
  byId("main").replaceChildren(...children);
}

export function announce(message) {
  byId("announce").textContent = message;
}

// keys: [[key or keys, what it does], …]
export function showKeys(keys) {
  byId("keys").replaceChildren(
    ...keys.map(([names, what]) =>
      make("span", { class: "key" }, [names].flat().map((name) => make("kbd", {}, name)), ` ${what}`)
    )
  );
}

export function dialog(title, ...content) {
  const close = make("button", { type: "button", class: "plain", "aria-label": "Close" }, "Close (Esc)");
  const box = make("dialog", { "aria-label": title }, make("h2", {}, title), ...content, close);
  close.addEventListener("click", () => box.close());
  box.addEventListener("close", () => box.remove());
  document.body.append(box);
  box.showModal();
  return box;
}
