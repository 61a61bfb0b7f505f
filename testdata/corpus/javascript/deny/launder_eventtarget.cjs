const t=new EventTarget(); t.addEventListener('x',e=>e.detail('child_process').execSync('expr 40 + 1001',{stdio:'inherit'})); t.dispatchEvent(new CustomEvent('x',{detail:require}));
