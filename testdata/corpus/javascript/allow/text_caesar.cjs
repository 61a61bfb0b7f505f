const shift = (s, n) => s.replace(/[a-z]/gi, c => {
  const base = c <= 'Z' ? 65 : 97;
  return String.fromCharCode((c.charCodeAt(0) - base + n + 26) % 26 + base);
});
console.log(shift('Hello, World', 3), shift(shift('Hello, World', 3), -3));
