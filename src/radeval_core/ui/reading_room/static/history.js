// Undo and redo of one case. Typing into one field is one step until the typing pauses.

const PAUSE = 1200;

export class History {
  constructor() {
    Object.assign(this, { past: [], future: [], field: null, at: 0 });
  }

  // Remember the state before a change. `field` names a text field that is being typed into.
  remember(reading, field = null) {
    const now = Date.now();
    const goesOn = field !== null && field === this.field && now - this.at < PAUSE;
    Object.assign(this, { field, at: now });
    if (goesOn) return;
    this.past.push(structuredClone(reading));
    this.future = [];
  }

  undo(reading) {
    return this.step(reading, this.past, this.future);
  }

  redo(reading) {
    return this.step(reading, this.future, this.past);
  }

  step(reading, from, to) {
    if (!from.length) return null;
    to.push(structuredClone(reading));
    this.field = null;
    return from.pop();
  }
}
