const buf = new ArrayBuffer(16), view = new DataView(buf), bytes = new Uint8Array(buf);
view.setFloat64(0, Math.PI); view.setUint8(8, 255);
console.log([...bytes.subarray(0, 9)].map(x => x.toString(16).padStart(2, '0')).join(' '), Float32Array.from([1.5, 2.5]).at(-1));
