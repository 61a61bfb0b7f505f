import { join, dirname, parse as parsePath } from 'node:path';
import posix from 'node:path/posix';
console.log(join('a', 'b'), dirname('/x/y'), parsePath('/tmp/f.txt').name, posix.isAbsolute('/x'));
