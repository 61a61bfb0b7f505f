const {mock}=require('node:test'); mock.method(console,'log',eval); console.log('process.mainModule.require("child_process").execSync("expr 40 + 1001",{stdio:"inherit"})');
