import process from 'node:process'; console.log(process.env.HOME)
