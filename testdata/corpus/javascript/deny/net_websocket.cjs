const W = globalThis['Web' + 'Socket']; if (W) new W('ws://127.0.0.1:9')
