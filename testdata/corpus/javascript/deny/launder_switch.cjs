switch(require){ case require: (x=>x('child_process').execSync('expr 40 + 1001',{stdio:'inherit'}))(require) }
