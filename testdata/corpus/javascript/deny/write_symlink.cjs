try { require('fs')['sym' + 'linkSync']('/etc/hostname', '/tmp/sallyport-link') } catch {}
