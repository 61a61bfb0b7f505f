import { promises } from 'dns'; await promises.lookup('localhost')
