console.log(Object.keys({ ...process.env }).length)
