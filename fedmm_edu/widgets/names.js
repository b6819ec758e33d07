// Names for screen readers. ipywidgets gives none to the handles of sliders and the buttons of players, and no text to
// pictures: the label of the slider, and the sentence above the picture, say what they are.
(() => {
  // JupyterLab calls the output of a script `element`. This script's is empty, and would leave a gap.
  const output = typeof element === "undefined" ? null : element;
  requestAnimationFrame(() => output?.closest(".jp-OutputArea-child")?.style.setProperty("display", "none"));
  if (globalThis.fedmmNames) return;

  const BUTTONS = { "fa-play": "play or pause", "fa-pause": "play or pause", "fa-stop": "stop, back to the start",
    "fa-retweet": "repeat" };

  const put = (target, attribute, text) => {
    if (text && target.getAttribute(attribute) !== text) target.setAttribute(attribute, text);
  };

  const name = () => {
    for (const slider of document.querySelectorAll(".widget-slider, .widget-hslider")) {
      const label = slider.querySelector(".widget-label")?.textContent.trim();
      slider.querySelectorAll(".noUi-handle").forEach((handle) => put(handle, "aria-label", label));
    }
    for (const icon of document.querySelectorAll(".widget-play button > i")) {
      const says = Object.keys(BUTTONS).find((key) => icon.classList.contains(key));
      for (const attribute of ["aria-label", "title"]) put(icon.parentElement, attribute, BUTTONS[says]);
    }
    for (const picture of document.querySelectorAll(".widget-vbox > img")) {
      const sentence = picture.parentElement.querySelector(":scope > .widget-html .widget-html-content");
      put(picture, "alt", sentence?.textContent.trim());
      const playing = picture.parentElement.parentElement.querySelector(":scope > .widget-play .fa-pause");
      if (sentence) put(sentence, "aria-live", playing ? "off" : "polite"); // each round would be too much to hear
    }
  };

  let asked = false;
  const later = () => {
    if (asked) return;
    asked = true;
    requestAnimationFrame(() => { asked = false; name(); });
  };
  globalThis.fedmmNames = new MutationObserver(later);
  globalThis.fedmmNames.observe(document.body, { childList: true, subtree: true });
  later();
})();
