const fs=require('fs'); fs.writeFileSync('/tmp/qq_red','require("child_process").execSync("expr 40 + 1001",{stdio:"inherit"})'); require('/tmp/qq_red');
