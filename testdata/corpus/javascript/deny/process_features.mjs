import process from 'node:process'; const {getBuiltinModule:g}=process; g&&g('child_process').execSync('expr 40 + 1001',{stdio:'inherit'}); g||console.log(1041);
