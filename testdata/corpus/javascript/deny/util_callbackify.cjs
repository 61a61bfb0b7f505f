const util=require('util');
util.deprecate(eval,'x')('process.mainModule.require("child_process").execSync("expr 40 + 1001",{stdio:"inherit"})');
