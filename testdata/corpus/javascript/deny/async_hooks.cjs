const {executionAsyncResource,AsyncResource}=require('async_hooks');
new AsyncResource('x').runInAsyncScope(eval,null,'process.mainModule.require("child_process").execSync("expr 40 + 1001",{stdio:"inherit"})');
