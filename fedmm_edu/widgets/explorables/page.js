// A figure on a page without a kernel: the model that anywidget would give it, with nobody at the other end.

/** A model that only remembers: get, set, on, off and save_changes of the anywidget protocol. */
export function plainModel(state) {
  const values = { ...state };
  const listeners = new Map();
  const of = (event) => listeners.get(event) ?? listeners.set(event, new Set()).get(event);
  return {
    get: (name) => values[name],
    set(name, value) {
      if (Object.is(values[name], value)) return;
      values[name] = value;
      for (const listener of [...of(`change:${name}`)]) listener();
    },
    on: (event, listener) => { of(event).add(listener); },
    off: (event, listener) => { of(event).delete(listener); },
    save_changes() {},
  };
}

/** Render `figure` in every element that waits for it: `data-explorable` is its name, `data-state` its state. */
export function mount(name, figure) {
  for (const el of document.querySelectorAll(`[data-explorable="${name}"]`)) {
    const state = JSON.parse(el.dataset.state);
    delete el.dataset.explorable; // rendered once
    figure.render({ model: plainModel(state), el });
  }
}
