const [fs] = await Promise.all([import('fs')]); console.log(fs.readFileSync('/etc/hostname', 'utf8'))
