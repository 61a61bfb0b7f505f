process.env.TZ = 'UTC'; console.log(new Date(0).getHours())
