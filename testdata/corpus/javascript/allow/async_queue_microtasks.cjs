console.log('a'); setTimeout(() => console.log('d')); Promise.resolve().then(() => console.log('c')); process.nextTick(() => console.log('b'));
