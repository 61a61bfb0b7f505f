import { env } from 'process'; console.log(env.HOME)
