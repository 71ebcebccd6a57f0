// The engines of a page: one worker with Python, begun at the first question.
//
// window.qoslibEngine has
//   status        "idle", "loading", "ready" or "missing"; reason says what is missing
//   look()        find out whether the site has the engines, without loading them
//   start()       load them; both give a promise of the status, here "stopped" after a stop
//   ask(message, told)  a promise of an answer; told(done, whole) hears how far a long one is
//   stop()        end what runs; the next question begins anew
// and the events "status" and "progress", the latter with {loaded, total} in bytes.
(() => {
  const LIVE = new URL("../../live/", document.currentScript.src).href;
  const AT_HOME = "In a clone of the project, “make lab” opens the lessons and “python -m qoslib check” checks a configuration.";

  class Engine extends EventTarget {
    status = "idle";
    reason = "";
    #files = null;
    #worker = null;
    #started = null;
    #ended = null;
    #waiting = [];
    #running = null;
    #count = 0;

    async look() {
      if (!this.#files && this.status !== "missing") await this.#read();
      return this.status;
    }

    start() {
      return (this.#started ??= this.#begin());
    }

    /** One question runs at a time; of those that wait for the same thing only the newest stays. */
    async ask(message, told) {
      const status = await this.start();
      if (status === "missing") return { error: this.reason };
      if (status === "stopped") return { stopped: true };
      const about = [message.ask, message.lesson, message.number].join(" ");
      return new Promise((answer) => {
        const older = this.#waiting.findIndex((each) => each.about === about);
        if (older >= 0) this.#waiting.splice(older, 1)[0].answer({ superseded: true });
        this.#waiting.push({ about, message, told, answer, id: ++this.#count });
        this.#next();
      });
    }

    stop() {
      this.#worker?.terminate();
      this.#worker = this.#started = null;
      this.#ended?.("stopped");
      const ended = [this.#running, ...this.#waiting].filter(Boolean);
      this.#running = null;
      this.#waiting = [];
      ended.forEach((each) => each.answer({ stopped: true }));
      if (this.status !== "missing") this.#become("idle");
    }

    async #read() {
      try {
        const response = await fetch(LIVE + "files.json");
        if (!response.ok) throw new Error(`the server answers ${response.status}`);
        const files = await response.json();
        if (files.lacks) this.#miss(`This copy of the site has no engine: ${files.lacks.replace(/`([^`]*)`/g, "“$1”")}.`);
        else this.#files = files;
      } catch (error) {
        const file = location.protocol === "file:";
        this.#miss(file ? "The engine needs a web server: it cannot run in a page that was opened as a file." : `The engine cannot be loaded: ${error.message}.`);
      }
    }

    async #begin() {
      if ((await this.look()) === "missing") return this.status;
      this.#become("loading");
      // From a blob the worker obeys the policy of this page.
      const program = `self.LIVE = ${JSON.stringify(LIVE)}; importScripts(LIVE + "worker.js");`;
      const source = URL.createObjectURL(new Blob([program], { type: "text/javascript" }));
      const worker = (this.#worker = new Worker(source));
      return new Promise((begun) => {
        this.#ended = begun;
        const failed = (why) => {
          this.#miss(`The engine did not start: ${why}.`);
          begun(this.status);
          this.stop();
        };
        worker.onerror = (event) => failed(event.message || "its program cannot be loaded");
        worker.onmessage = ({ data }) => {
          if (data.failed) failed(data.failed);
          else if (data.ready) this.#become("ready"), begun(this.status);
          else if (data.total) this.dispatchEvent(new CustomEvent("progress", { detail: data }));
          else this.#hear(data);
        };
        worker.postMessage({ files: this.#files });
      });
    }

    #hear({ id, answer, done, whole }) {
      const running = this.#running;
      if (running?.id !== id) return;
      if (!answer) return running.told?.(done, whole);
      this.#running = null;
      running.answer(answer);
      this.#next();
    }

    #next() {
      if (this.#running || !this.#waiting.length) return;
      this.#running = this.#waiting.shift();
      this.#worker.postMessage({ id: this.#running.id, message: this.#running.message });
    }

    #miss(reason) {
      this.reason = `${reason} ${AT_HOME}`;
      this.#become("missing");
    }

    #become(status) {
      this.status = status;
      this.dispatchEvent(new CustomEvent("status", { detail: status }));
    }
  }

  window.qoslibEngine = new Engine();
})();
