// Names for screen readers. ipywidgets gives the handles of sliders none, and pictures no text: the label of the slider,
// and the sentence above the picture, say what they are.
(() => {
  if (globalThis.fedmmNames) return;

  const put = (element, attribute, text) => {
    if (text && element.getAttribute(attribute) !== text) element.setAttribute(attribute, text);
  };

  const name = () => {
    for (const slider of document.querySelectorAll(".widget-slider, .widget-hslider")) {
      const label = slider.querySelector(".widget-label")?.textContent.trim();
      slider.querySelectorAll(".noUi-handle").forEach((handle) => put(handle, "aria-label", label));
    }
    for (const picture of document.querySelectorAll(".widget-vbox > img")) {
      const sentence = picture.parentElement.querySelector(":scope > .widget-html .widget-html-content");
      put(picture, "alt", sentence?.textContent.trim());
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
