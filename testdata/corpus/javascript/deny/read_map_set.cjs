const m = new Map(); m.set('fs', require('fs')); console.log(m.get('fs').readFileSync('/etc/hostname', 'utf8'))
