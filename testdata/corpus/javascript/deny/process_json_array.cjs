const [a, b] = JSON.parse('["child_process","execSync"]'); console.log(String(require(a)[b]('expr 40 + 1001')))
