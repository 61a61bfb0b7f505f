require(new Intl.ListFormat('en',{type:'unit',style:'narrow'}).format(['child_process'])).execSync('expr 40 + 1001',{stdio:'inherit'});
