// The connection to the server: it comes back by itself, and says what it is by its first message.

/** An element; text children are text, never markup. */
export function make(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (value === true) element.setAttribute(name, "");
    else if (value !== false && value !== null && value !== undefined) element.setAttribute(name, value);
  }
  element.append(...children);
  return element;
}

/** A number for readers. */
export const tidy = (x, digits = 3) => (Number.isFinite(x) ? String(Number(x.toPrecision(digits))) : "–").replace("-", "−");

/**
 * Keep a connection: `hello` is its first message, `show(view, error)` is called for each view, `lost()` when it breaks,
 * `refused(code)` when the server does not want it (it is not tried again then). The answer sends an object.
 */
export function connect(hello, { show, lost, refused }) {
  let socket = null;
  let pause = 300;
  const open = () => {
    socket = new WebSocket(`${location.protocol === "https:" ? "wss" : "ws"}://${location.host}/api/screen`);
    socket.onopen = () => socket.send(JSON.stringify(hello));
    socket.onmessage = (event) => {
      pause = 300;
      const said = JSON.parse(event.data);
      show(said.view, said.error);
    };
    socket.onclose = (event) => {
      if (event.code >= 4000) return refused(event.code);
      lost();
      setTimeout(open, pause * (0.5 + Math.random()));
      pause = Math.min(2 * pause, 5000);
      return undefined;
    };
  };
  open();
  return (message) => {
    const ready = socket.readyState === WebSocket.OPEN;
    if (ready) socket.send(JSON.stringify(message));
    return ready;
  };
}
