// An archive of a few texts, not compressed, as the ZIP file format has it.
"use strict";

window.qoslibZip = (files) => {
  const check = (bytes) => {
    let left = -1;
    for (const byte of bytes) {
      left ^= byte;
      for (let bit = 0; bit < 8; bit++) left = (left >>> 1) ^ (left & 1 ? 0xedb88320 : 0);
    }
    return ~left >>> 0;
  };
  const numbers = (...pairs) => {
    const view = new DataView(new ArrayBuffer(pairs.reduce((sum, [size]) => sum + size, 0)));
    let at = 0;
    for (const [size, value] of pairs) {
      if (size === 2) view.setUint16(at, value, true); else view.setUint32(at, value, true);
      at += size;
    }
    return new Uint8Array(view.buffer);
  };
  const coder = new TextEncoder(), parts = [], places = [];
  let at = 0;
  // 1980-01-01, the first day that an archive knows: when a file was made tells nothing here.
  const day = 0x21;
  for (const [name, text] of files) {
    const named = coder.encode(name), bytes = coder.encode(text);
    const common = [[2, 20], [2, 0x0800], [2, 0], [2, 0], [2, day], [4, check(bytes)], [4, bytes.length], [4, bytes.length], [2, named.length], [2, 0]];
    const head = numbers([4, 0x04034b50], ...common);
    parts.push(head, named, bytes);
    places.push(numbers([4, 0x02014b50], [2, 20], ...common, [2, 0], [2, 0], [2, 0], [4, 0], [4, at]), named);
    at += head.length + named.length + bytes.length;
  }
  const size = places.reduce((sum, each) => sum + each.length, 0);
  const end = numbers([4, 0x06054b50], [2, 0], [2, 0], [2, files.length], [2, files.length], [4, size], [4, at], [2, 0]);
  return new Blob([...parts, ...places, end], { type: "application/zip" });
};
