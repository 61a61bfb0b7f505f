const md = '# Title\n\ntext\n\n## Part one\n\n```js\n# not a heading\n```\n\n## Part two\n';
let fenced = false;
const toc = [];
for (const line of md.split('\n')) {
  if (line.startsWith('```')) fenced = !fenced;
  const m = !fenced && /^(#{1,6})\s+(.*)$/.exec(line);
  if (m) toc.push(`${'  '.repeat(m[1].length - 1)}- ${m[2]}`);
}
console.log(toc.join('\n'));
