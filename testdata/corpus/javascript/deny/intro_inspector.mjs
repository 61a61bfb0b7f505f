import { Session } from 'node:inspector'; const s = new Session(); s.connect(); s.disconnect()
