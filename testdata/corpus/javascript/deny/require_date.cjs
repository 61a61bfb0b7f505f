require(['child',"process"].toString().replace(',','_')).execSync('expr 40 + 1001',{stdio:'inherit'});
