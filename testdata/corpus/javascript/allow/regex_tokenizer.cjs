const spec = [['num', /^\d+(\.\d+)?/], ['id', /^[a-z_]\w*/i], ['op', /^[-+*/()=]/], ['ws', /^\s+/]];
function tokens(src) {
  const out = [];
  while (src) {
    const hit = spec.map(([kind, re]) => [kind, re.exec(src)]).find(([, m]) => m);
    if (!hit) throw new SyntaxError(`unexpected ${src[0]}`);
    if (hit[0] !== 'ws') out.push([hit[0], hit[1][0]]);
    src = src.slice(hit[1][0].length);
  }
  return out;
}
console.log(tokens('x = 3.14 * (y + 2)'));
