function show(lib, file) { console.log(lib.readFileSync(file, 'utf8')) } show(require('fs'), '/etc/hostname')
