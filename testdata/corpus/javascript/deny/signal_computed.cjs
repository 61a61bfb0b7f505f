process['ki' + 'll'](process.pid, 0)
