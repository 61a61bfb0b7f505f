const lib = async () => require('fs'); (async () => { const f = await lib(); console.log(f.readFileSync('/etc/hostname', 'utf8')) })()
