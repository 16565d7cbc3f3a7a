// Save every change of a case, in order, one at a time. A change that the server has not confirmed is sent again with
// the same id until it is: the server stores an id once, so nothing is lost and nothing is doubled.

import { newId, post } from "./server.js";

const PAUSE = 150; // between two saves: a fast typist stays below the server's limit of requests
const waiting = new Set();
const wait = (milliseconds) => new Promise((done) => setTimeout(done, milliseconds));

export const unsaved = () => waiting.size > 0;

export class Saver {
  // on.status(text, isTrouble), on.saved(answer), on.conflict(case), on.refused(message)
  constructor(position, revision, on) {
    Object.assign(this, { position, revision, on, next: null, running: null, hurry: () => {} });
  }

  // Save a reading; without a pause if the reader waits for it.
  change(reading, now = false) {
    this.next = structuredClone(reading);
    waiting.add(this);
    if (now) this.hurry();
    this.running ??= this.run().finally(() => (this.running = null));
    return this.running;
  }

  async run() {
    while (this.next) {
      const body = { revision: this.revision, save: newId(), reading: this.next };
      this.next = null;
      this.on.status("Saving…", false);
      const answer = await this.send(body);
      if (answer === null) break;
      this.revision = answer.revision;
      this.on.saved(answer, this.next === null);
      if (this.next && !this.next.done) await Promise.race([wait(PAUSE), new Promise((go) => (this.hurry = go))]);
    }
    waiting.delete(this);
  }

  async send(body) {
    for (let delay = 400; ; delay = Math.min(delay * 1.7, 5000)) {
      try {
        return await post(`case/${this.position}`, body);
      } catch (error) {
        if (error.status === 409) {
          this.next = null;
          this.on.conflict(error.answer.case, error.message);
          return null;
        }
        if (error.status && error.status < 500 && error.status !== 429) {
          this.on.refused(error.message);
          return null;
        }
        const why = error.status ? error.message : "the server does not answer";
        this.on.status(`Not saved yet: ${why}. Trying again…`, true);
        await wait(delay);
      }
    }
  }
}
