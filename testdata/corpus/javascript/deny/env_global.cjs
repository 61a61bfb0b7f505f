console.log(global.process.env.HOME)
