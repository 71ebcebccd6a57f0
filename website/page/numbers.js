"use strict";
// Numbers in a lesson's text that move an explorer, as <data value="e0=load:90,buffer:64">90 %</data>:
// a click sets all that is named there and the other controls back to the start; the first control
// named is dragged sideways, or moved by the arrow keys.
(() => {
  const { byKey, pulled, said } = window.qoslibControls;
  const address = window.qoslibAddress;
  // So far from one end of a slider to the other [px].
  const REACH = 300;
  const NUMBER = /[-−]?\d[\d.,]*/;

  class DraggedNumber {
    constructor(element, explorer, values) {
      const [name] = Object.keys(values);
      Object.assign(this, { element, explorer, name, values, words: element.textContent });
      this.begun = this.value = values[name];
      this.spec = explorer.controls.specs[name];
      const { label, min, max } = this.spec;
      element.tabIndex = 0;
      element.title = `${label}: click, drag sideways, or use the arrow keys`;
      element.setAttribute("role", "slider");
      for (const [of, told] of Object.entries({ label, valuemin: min, valuemax: max })) {
        element.setAttribute(`aria-${of}`, told);
      }
      element.addEventListener("pointerdown", (event) => this.grab(event));
      element.addEventListener("keydown", (event) => this.press(event));
      element.addEventListener("blur", () => explorer.undock());
      // Moved otherwise, the text says again what its author says.
      explorer.place.addEventListener("qoslib-moved", () => this.moving || this.show(this.begun));
      this.show(this.begun);
    }

    show(value) {
      const text = said(this.spec, value);
      this.value = value;
      this.element.textContent = value === this.begun ? this.words : this.words.replace(NUMBER, text.split(" ")[0]);
      this.element.setAttribute("aria-valuenow", value);
      this.element.setAttribute("aria-valuetext", text);
    }

    grab(event) {
      if (event.button) return;
      const { element, spec, value } = this;
      element.setPointerCapture(event.pointerId);
      this.move(value);
      const drag = ({ clientX }) => {
        const wanted = value + ((clientX - event.clientX) / REACH) * (spec.max - spec.min);
        if (clientX !== event.clientX) this.move(pulled(spec, Math.min(Math.max(wanted, spec.min), spec.max), this.stops()));
      };
      element.addEventListener("pointermove", drag);
      const drop = () => element.removeEventListener("pointermove", drag);
      element.addEventListener("lostpointercapture", drop, { once: true });
    }

    press(event) {
      if (event.altKey || event.ctrlKey || event.metaKey) return;
      const wanted = ["Enter", " "].includes(event.key) ? this.value : byKey(event.key, this.spec, this.value, this.stops());
      if (wanted === null) return;
      event.preventDefault();
      this.move(wanted);
    }

    // Only with no other control moved the stored grid has stops.
    stops() {
      return Object.keys(this.values).length > 1 ? null : this.explorer.stopsFromStart(this.name);
    }

    move(value) {
      this.moving = true;
      this.explorer.dock(this.element);
      this.explorer.set({ ...this.values, [this.name]: value });
      this.moving = false;
      this.show(value);
    }
  }

  async function ready(element) {
    const [key, state] = element.getAttribute("value").split("=");
    const explorer = await window.qoslibExplorers.of(Number(key.slice(1)));
    const values = explorer?.understood(address.read(state)) ?? {};
    if (explorer?.controls.specs[Object.keys(values)[0]]?.kind === "slider") new DraggedNumber(element, explorer, values);
  }

  const near = new IntersectionObserver((seen) => {
    for (const { isIntersecting, target } of seen) {
      if (!isIntersecting) continue;
      near.unobserve(target);
      ready(target);
    }
  }, { rootMargin: "400px" });
  for (const element of document.querySelectorAll('data[value^="e"]')) near.observe(element);
})();
