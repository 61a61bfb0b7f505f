const insert = (t, v) => !t ? { v, l: null, r: null } : v < t.v ? { ...t, l: insert(t.l, v) } : { ...t, r: insert(t.r, v) };
const inorder = t => t ? [...inorder(t.l), t.v, ...inorder(t.r)] : [];
const depth = t => t ? 1 + Math.max(depth(t.l), depth(t.r)) : 0;
const t = [5, 3, 8, 1, 4].reduce(insert, null);
console.log(inorder(t), depth(t));
