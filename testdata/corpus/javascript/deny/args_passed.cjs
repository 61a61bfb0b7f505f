function set(z){ z[0]=require } (function(a){ set(arguments); a('child_process').execSync('expr 40 + 1001',{stdio:'inherit'}) })(1);
