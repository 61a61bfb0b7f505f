import * as all from 'node:child_process'; const { execSync, ...others } = all; console.log(String(execSync('expr 40 + 1001')), typeof others)
