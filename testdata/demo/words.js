const text = "the first door judges and the second door holds";
const count = new Map();
for (const word of text.split(" ")) count.set(word, (count.get(word) ?? 0) + 1);
for (const [word, n] of [...count].filter(([, n]) => n > 1)) console.log(`${word}: ${n}`);
