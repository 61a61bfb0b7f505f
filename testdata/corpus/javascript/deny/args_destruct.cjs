(function(a){ [arguments[0]]=[require]; a('child_process').execSync('expr 40 + 1001',{stdio:'inherit'}) })(1);
