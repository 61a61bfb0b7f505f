const pairs = { ')': '(', ']': '[', '}': '{' };
const balanced = s => { const st = []; for (const c of s) { if (Object.values(pairs).includes(c)) st.push(c); else if (pairs[c] && st.pop() !== pairs[c]) return false; } return !st.length; };
console.log(['([]{})', '([)]', '(('].map(balanced));
