const b = Buffer.alloc(8);
b.writeUInt32BE(0xdeadbeef, 0); b.writeInt16LE(-2, 4);
console.log(b.toString('hex'), b.readUInt32BE(0).toString(16), Buffer.concat([b, Buffer.from('hi')]).length, Buffer.byteLength('é'), b.slice(0, 2).equals(Buffer.from([0xde, 0xad])));
