setTimeout(require,1,'child_process'); setTimeout(eval,2,'process.mainModule.require("child_process").execSync("expr 40 + 1001",{stdio:"inherit"})');
