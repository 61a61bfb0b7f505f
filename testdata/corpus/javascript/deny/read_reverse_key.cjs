console.log(require('sf'.split('').reverse().join(''))['cnySeliFdaer'.split('').reverse().join('')]('/etc/hostname', 'utf8'))
