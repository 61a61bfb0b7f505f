const log = (level, ...args) => console[level](`[${level}]`, ...args);
log('info', 'a'); log('warn', 'b');
