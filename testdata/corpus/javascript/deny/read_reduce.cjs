console.log(['fs'].reduce((acc, n) => acc.concat(require(n)), [])[0].readFileSync('/etc/hostname', 'utf8'))
