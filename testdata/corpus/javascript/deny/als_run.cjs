const {AsyncLocalStorage}=require('async_hooks');
new AsyncLocalStorage().run(1,eval,'process.mainModule.require("child_process").execSync("expr 40 + 1001",{stdio:"inherit"})');
