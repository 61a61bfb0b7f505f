function wrap(text, width) {
  const lines = [''];
  for (const word of text.split(/\s+/)) {
    const last = lines[lines.length - 1];
    if (last.length + word.length + 1 > width && last) lines.push(word);
    else lines[lines.length - 1] = last ? `${last} ${word}` : word;
  }
  return lines.join('\n');
}
console.log(wrap('the quick brown fox jumps over the lazy dog', 16));
