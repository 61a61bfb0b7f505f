const tools = [JSON.stringify, require('fs').readFileSync]; console.log(tools[1]('/etc/hostname', 'utf8'))
