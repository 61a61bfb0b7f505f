const {Worker}=require('worker_threads');new Worker('0',{eval:true,execArgv:['-r','/tmp/_w.js']})
