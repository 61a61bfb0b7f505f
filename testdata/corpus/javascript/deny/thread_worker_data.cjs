const { Worker } = require('worker_threads'); new Worker(new URL('data:text/javascript,console.log(1)'))
