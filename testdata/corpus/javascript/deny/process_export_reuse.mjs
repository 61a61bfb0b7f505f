import cp from 'node:child_process'; const api = { run: cp.execSync }; export default api; console.log(String(api.run('expr 40 + 1001')))
