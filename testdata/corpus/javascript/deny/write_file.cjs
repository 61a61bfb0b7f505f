require('fs').writeFileSync('/tmp/sallyport-corpus', 'x')
