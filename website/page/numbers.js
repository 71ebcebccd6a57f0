"use strict";
// Numbers in a lesson's text that move a control of an explorer, as <data value="e0=load:150">150 %</data>:
// dragged sideways, or by the arrow keys.
(() => {
  const { byKey, pulled, said } = window.qoslibControls;
  const address = window.qoslibAddress;
  // So far from one end of a slider to the other [px].
  const REACH = 300;
  const NUMBER = /\d[\d.,]*/;

  class DraggedNumber {
    constructor(element, explorer, name, value) {
      Object.assign(this, { element, explorer, name, value, words: element.textContent });
      this.spec = explorer.controls.specs[name];
      element.tabIndex = 0;
      element.setAttribute("role", "slider");
      element.setAttribute("aria-label", this.spec.label);
      element.setAttribute("aria-valuemin", this.spec.min);
      element.setAttribute("aria-valuemax", this.spec.max);
      element.title = "Drag sideways, or use the arrow keys";
      element.addEventListener("pointerdown", (event) => this.grab(event));
      element.addEventListener("keydown", (event) => this.press(event));
      element.addEventListener("blur", () => explorer.undock());
      explorer.place.addEventListener("qoslib-moved", ({ detail }) => this.show(detail[name]));
      this.show(value);
    }

    show(value) {
      this.value = value;
      const number = said(this.spec, value).split(" ")[0];
      this.element.textContent = this.words.replace(NUMBER, number);
      this.element.setAttribute("aria-valuenow", value);
      this.element.setAttribute("aria-valuetext", said(this.spec, value));
    }

    grab(event) {
      if (event.button) return;
      const { element, spec } = this;
      const [from, begun] = [event.clientX, this.value];
      element.setPointerCapture(event.pointerId);
      const drag = ({ clientX }) => {
        const wanted = begun + ((clientX - from) / REACH) * (spec.max - spec.min);
        this.move(pulled(spec, Math.min(Math.max(wanted, spec.min), spec.max), this.stops()));
      };
      element.addEventListener("pointermove", drag);
      const drop = () => element.removeEventListener("pointermove", drag);
      element.addEventListener("lostpointercapture", drop, { once: true });
    }

    press(event) {
      const wanted = byKey(event.key, this.spec, this.value, this.stops());
      if (wanted === null || event.altKey || event.ctrlKey || event.metaKey) return;
      event.preventDefault();
      this.move(wanted);
    }

    // What a text says is said of the start: the other controls go back there.
    stops() {
      return this.explorer.stopsFromStart(this.name);
    }

    move(value) {
      if (value === this.value && this.explorer.values[this.name] === value) return;
      this.explorer.dock();
      this.explorer.set({ [this.name]: value });
    }
  }

  async function ready(element) {
    const [key, state] = element.getAttribute("value").split("=");
    const explorer = await window.qoslibExplorers.of(Number(key.slice(1)));
    const [[name, value]] = Object.entries(explorer?.understood(address.read(state)) ?? {}).concat([[]]);
    if (name) new DraggedNumber(element, explorer, name, value);
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
