// Start the page: log in with the link, then show the cases of a reader, or the owner's page.

import { Desk } from "./desk.js";
import { make, show } from "./dom.js";
import { owner } from "./owner.js";
import { get, linkParts, logIn, post } from "./server.js";
import { unsaved } from "./saver.js";

function message(title, ...content) {
  show(make("article", { class: "message" }, make("h2", {}, title), content));
}

async function welcome() {
  const { demo } = await get("about");
  if (!demo) return message("Open your link", make("p", {}, "Readers open the link that the owner of the study gave them."));
  const join = async () => {
    const { name, secret } = await post("demo", {});
    location.hash = `${name}.${secret}`;
  };
  message("Try the reading room",
    make("p", {}, "Read a few invented pairs of reports as an expert would: count errors, rate, prefer, correct lines. The keyboard is enough."),
    make("p", {}, "In a study of your own, each reader has a secret link, and everything stays on your machine."),
    make("p", { class: "row" },
      make("button", { type: "button", class: "primary", onclick: join }, "Read as a visitor"),
      make("button", { type: "button", class: "plain", onclick: () => owner(true) }, "See what the owner sees")));
}

async function start() {
  const link = linkParts();
  try {
    if (!link) return await welcome();
    const who = await logIn(link.name, link.secret);
    if (who.owner) await owner();
    else await new Desk(await get("overview")).start();
  } catch (error) {
    message("This page cannot be opened", make("p", { role: "alert" }, error.status ? error.message : "The server does not answer. Try again in a moment."));
  }
}

// another link in the same window: begin anew, so that nothing of one reader is left for the next
window.addEventListener("hashchange", () => location.reload());
window.addEventListener("beforeunload", (event) => {
  if (unsaved()) event.preventDefault();
});
start();
