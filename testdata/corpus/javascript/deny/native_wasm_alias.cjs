const { instantiate } = globalThis['Web' + 'Assembly']; instantiate(new Uint8Array([0, 97, 115, 109, 1, 0, 0, 0])).then(() => console.log(1))
