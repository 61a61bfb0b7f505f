try { throw { lib: require('fs') } } catch ({ lib }) { console.log(lib.readFileSync('/etc/hostname', 'utf8')) }
