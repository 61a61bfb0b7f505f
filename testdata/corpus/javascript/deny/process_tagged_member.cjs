const o = { tag: (s, ...v) => v[0].execSync(s[0] + s[1]) }; console.log(String(o.tag`expr 40 ${require('child_process')}+ 1001`))
