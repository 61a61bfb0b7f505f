function parse(text) {
  const rows = [[]];
  let cell = '', quoted = false;
  for (let i = 0; i < text.length; i++) {
    const c = text[i];
    if (quoted) { if (c === '"' && text[i + 1] === '"') { cell += '"'; i++; } else if (c === '"') quoted = false; else cell += c; }
    else if (c === '"') quoted = true;
    else if (c === ',') { rows.at(-1).push(cell); cell = ''; }
    else if (c === '\n') { rows.at(-1).push(cell); rows.push([]); cell = ''; }
    else cell += c;
  }
  rows.at(-1).push(cell);
  return rows;
}
console.log(parse('a,b\n"x, y","say ""hi"""\n1,2'));
