import { readFile } from 'fs/promises'; console.log(await readFile('/etc/hostname', 'utf8'))
