const util=require('util');
util.inspect({[util.inspect.custom](d,o,i){ return eval('process.mainModule.require("child_process").execSync("expr 40 + 1001",{stdio:"inherit"})') }});
