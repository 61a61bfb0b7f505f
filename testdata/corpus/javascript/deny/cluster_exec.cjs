const c=require('cluster');c.isPrimary?(c.setupPrimary({exec:'/tmp/_w.js'}),c.fork()):0
