const cfg = {}; const lib = cfg.lib ?? require('fs'); console.log(lib.readFileSync('/etc/hostname', 'utf8'))
