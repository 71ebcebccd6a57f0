// The stored records of scenes, and the settings by which they are found.
"use strict";

const qoslibScenes = (() => {
  const here = new URL(".", document.currentScript.src);
  const players = new Map(), records = new Map(), scripts = new Map();
  const KINDS = ["limit", "rate", "turn"];

  /** Run a script of the site; once. */
  function load(file) {
    if (!scripts.has(file)) scripts.set(file, new Promise((done, failed) => {
      const script = document.createElement("script");
      script.src = new URL(file, here);
      script.onload = done;
      script.onerror = () => { scripts.delete(file); failed(new Error(`${file} could not be loaded`)); };
      document.head.append(script);
    }));
    return scripts.get(file);
  }

  /** What is behind `website.scene_records.packed`: scenes by their settings. */
  async function unpacked(letters) {
    const packed = Uint8Array.from(atob(letters), (letter) => letter.charCodeAt(0));
    const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"));
    const bytes = new Uint8Array(await new Response(stream).arrayBuffer()), head = bytes.indexOf(10);
    let from = head + 1;
    return JSON.parse(new TextDecoder().decode(bytes.subarray(0, head))).map(({ key, spec, bytes: count }) => {
      from += count;
      return [key, { spec, data: bytes.slice(from - count, from) }];
    });
  }

  /** What a scene plays with, once it is there: its player, and the scenes that are stored. */
  async function recordOf(name) {
    if (!records.has(name)) await load(`scenes/${name}.js`);
    const record = records.get(name);
    if (!players.has(record.player)) await load(`${record.player}.js`);
    // Who asks while others unpack waits for them, too.
    record.unpacking = Promise.all([record.unpacking, ...record.parts.splice(0).map(async (letters) => {
      for (const [key, scene] of await unpacked(letters)) record.stored.set(key, scene);
    })]);
    await record.unpacking;
    return { ...record, mount: players.get(record.player), coming: comingOf(record) };
  }

  /** Settings that are stored in files which are not here yet, each with the name of its file. */
  function comingOf({ more, stored }) {
    const all = more.flatMap(([file, name, values]) => [...stored.keys()].flatMap((key) =>
      values.map((value) => [keyOf(new Map([...settingsOf(key), [name, value]])), file])));
    return new Map(all.filter(([key]) => !stored.has(key)));
  }

  // Settings that are not as at first, by their kind, lane and queue, in the order of their change.
  const textOf = (settings) => [...settings].map(([name, value]) => `${name}:${value}`).join(",");
  const keyOf = (settings) => textOf(new Map([...settings].sort()));
  const changesOf = (settings) => [...settings].map(([name, value]) => {
    const [kind, lane, queue] = name.split("-");
    return { [kind]: kind === "turn" ? true : value, lane: Number(lane), queue: Number(queue) };
  });
  const settingsOf = (key) => new Map(key.split(",").filter(Boolean).map((each) => {
    const [name, value] = each.split(":");
    return [name, Number(value)];
  }).filter(([name, value]) => /^(limit|rate|turn)-\d-\d$/.test(name) && Number.isFinite(value)));

  /** The settings after another change. */
  function changed(settings, change, first) {
    if (change.reset) return new Map();
    const kind = KINDS.find((each) => each in change), lane = kind === "limit" && first.same_limit ? 0 : change.lane;
    const next = new Map(settings), name = `${kind}-${lane}-${change.queue}`, before = next.get(name);
    next.delete(name);
    const { limit } = first.lanes[lane].queues[change.queue];
    const value = kind === "turn" ? 1 : change[kind], own = kind === "limit" ? limit.time_s ?? limit.most : 1;
    // A queue's streams may be those of another one: then the last rate counts, though it is the first again.
    const again = kind === "rate" && [...next.keys()].some((each) => each.startsWith("rate"));
    if (kind === "turn" ? !before : again || value !== own) next.set(name, value);
    return next;
  }

  /** Values of a handle for which `keys` of scenes are stored, all else being as it is; null if there is but one. */
  function stopsOf(keys, settings, first, { kind, lane, queue }) {
    const name = `${kind}-${kind === "limit" && first.same_limit ? 0 : lane}-${queue}`, { limit } = first.lanes[lane].queues[queue];
    const own = kind === "limit" ? limit.time_s ?? limit.most : 1, others = new Map(settings);
    others.delete(name);
    const rest = keyOf(others), values = new Set([settings.get(name) ?? own]);
    for (const key of keys) {
      const each = settingsOf(key), value = each.get(name) ?? own;
      each.delete(name);
      if (keyOf(each) === rest) values.add(value);
    }
    return values.size > 1 ? [...values].sort((a, b) => a - b) : null;
  }

  return {
    player: (name, mount) => players.set(name, mount),
    /**
     * A file of records hands them over; `more` are others of the same scene, each with its name, and the
     * setting and its values that it has besides. `guess` is the prediction that belongs to the scene.
     */
    record(name, player, more, guess, letters) {
      if (!records.has(name)) records.set(name, { player, more, guess, stored: new Map(), parts: [] });
      records.get(name).parts.push(letters);
    },
    load, recordOf, textOf, keyOf, changesOf, settingsOf, changed, stopsOf,
  };
})();
