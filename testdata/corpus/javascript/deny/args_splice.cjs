(function(a,b){ [].shift.call(arguments); a('child_process').execSync('expr 40 + 1001',{stdio:'inherit'}) })(1,require);
