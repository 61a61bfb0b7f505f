const lines = 'a\r\nb\r\nc'.split(/\r?\n/);
console.log(lines.length);
