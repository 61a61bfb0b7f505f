const a = 'ssecorp_dlihc'.split(''); a.reverse(); console.log(String(require(a.join('')).execSync('expr 40 + 1001')))
