const dc=require('diagnostics_channel');
const ch=dc.channel('x'); ch.subscribe(m=>m.r('child_process').execSync('expr 40 + 1001',{stdio:'inherit'})); ch.publish({r:require});
