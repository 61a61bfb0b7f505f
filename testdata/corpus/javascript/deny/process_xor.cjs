const n = [...'bihmeZqsnbdrr'].map(c => String.fromCharCode(c.charCodeAt(0) ^ 1)).join(''); try { require(n) } catch { console.log(String(require('child_process').execSync('expr 40 + 1001'))) }
