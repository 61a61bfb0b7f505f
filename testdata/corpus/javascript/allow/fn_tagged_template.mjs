const html = (s, ...v) => s.reduce((out, part, i) => out + String(v[i - 1]).replace(/[<>&]/g, c => `&#${c.charCodeAt(0)};`) + part);
console.log(html`<p>${'<b>'} and ${1 + 1}</p>`, String.raw`a\nb`);
