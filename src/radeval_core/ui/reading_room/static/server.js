// Talk to the server of this page. The secret of the link stays in memory and in the address after `#`.

const session = { name: "", secret: "", token: "" };

export class Refused extends Error {
  constructor(status, answer) {
    super(answer.error || `the server answered with ${status}`);
    this.status = status;
    this.answer = answer;
  }
}

async function send(method, path, body) {
  const headers = { Accept: "application/json" };
  if (session.token) headers.Authorization = `Bearer ${session.token}`;
  if (body !== undefined) headers["Content-Type"] = "application/json";
  const options = { method, headers, cache: "no-store", body: body === undefined ? undefined : JSON.stringify(body) };
  const response = await fetch(`reading_api/${path}`, options);
  if (!response.ok) throw new Refused(response.status, await response.json().catch(() => ({})));
  return response;
}

// A token lasts for hours, and a server that starts again still knows it; after that, log in once more.
async function sendAgain(method, path, body) {
  try {
    return await send(method, path, body);
  } catch (error) {
    if (!(error instanceof Refused) || error.status !== 401 || !session.secret) throw error;
    await logIn(session.name, session.secret);
    return send(method, path, body);
  }
}

export const get = async (path) => (await sendAgain("GET", path)).json();
export const post = async (path, body) => (await sendAgain("POST", path, body)).json();
export const getFile = async (path) => (await sendAgain("GET", path)).blob();

export async function logIn(name, secret) {
  session.token = "";
  const found = await (await send("POST", "login", { name, secret })).json();
  Object.assign(session, { name, secret, token: found.token });
  return found;
}

// The part of a link after `#`: NAME.SECRET
export function linkParts() {
  const [name, secret] = location.hash.slice(1).split(/\.(.*)/s);
  return name && secret ? { name, secret } : null;
}

// Work in a context without https too, where crypto.randomUUID is missing.
export function newId() {
  return [...crypto.getRandomValues(new Uint8Array(12))].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}
