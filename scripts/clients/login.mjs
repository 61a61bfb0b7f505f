// A login against a real OpenID provider, all on loopback: the client finds the
// provider by the service's own words, gets a token, and works with it. Then what
// the provider gives for another service, or for less, opens nothing.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import assert from 'node:assert/strict'
import Provider from 'oidc-provider'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { ClientCredentialsProvider } from '@modelcontextprotocol/sdk/client/auth-extensions.js'

async function freePort() {
  const s = createServer().listen(0, '127.0.0.1')
  await once(s, 'listening')
  const { port } = s.address()
  s.close()
  await once(s, 'close')
  return port
}

const issuer = `http://127.0.0.1:${await freePort()}`
const provider = new Provider(issuer, {
  clients: [{ client_id: 'agent', client_secret: 'a-secret-of-loopback', grant_types: ['client_credentials'], redirect_uris: [], response_types: [] }],
  scopes: ['run', 'check'],
  features: {
    devInteractions: { enabled: false },
    clientCredentials: { enabled: true },
    resourceIndicators: {
      enabled: true,
      getResourceServerInfo: (_, resource) => ({ audience: resource, scope: 'run check', accessTokenTTL: 600, accessTokenFormat: 'jwt', jwt: { sign: { alg: 'RS256' } } }),
    },
  },
})
const http = provider.listen(Number(new URL(issuer).port), '127.0.0.1')
await once(http, 'listening')

const dir = mkdtempSync(join(tmpdir(), 'spl.'))
const config = join(dir, 'sallyport.yaml')
writeFileSync(config, `serve: {listen: "127.0.0.1:0", issuers: [{url: "${issuer}"}]}\nlimits: {timeout: 2m}\n`, { mode: 0o600 })
const service = spawn(process.env.SALLYPORT, ['--config', config, 'serve', '--warm', '0'], { stdio: ['ignore', 'inherit', 'pipe'] })
let said = ''
const at = await new Promise((resolve, reject) => {
  service.stderr.on('data', (b) => {
    said += b
    const m = said.match(/ serving (http:\S+) at /)
    if (m) resolve(m[1])
  })
  service.on('exit', () => reject(new Error(said)))
})
const url = new URL(at + '/mcp')

async function token(resource, scope) {
  const r = await fetch(issuer + '/token', {
    method: 'POST',
    headers: { authorization: 'Basic ' + Buffer.from('agent:a-secret-of-loopback').toString('base64') },
    body: new URLSearchParams({ grant_type: 'client_credentials', scope, ...(resource && { resource }) }),
  })
  const body = await r.json()
  assert.equal(r.status, 200, JSON.stringify(body))
  return body.access_token
}
const status = async (bearer, path, body) => (await fetch(at + path, {
  method: 'POST', headers: { authorization: `Bearer ${bearer}`, 'content-type': 'application/json' }, body: JSON.stringify(body),
})).status

try {
  const client = new Client({ name: 'login', version: '1' })
  const authProvider = new ClientCredentialsProvider({ clientId: 'agent', clientSecret: 'a-secret-of-loopback', expectedIssuer: issuer, scope: 'run check' })
  await client.connect(new StreamableHTTPClientTransport(url, { authProvider }))
  const { tools } = await client.listTools()
  assert.ok(tools.some((t) => t.name === 'run_python_code'))
  const steps = []
  const run = (code, options) => client.callTool({ name: 'run_python_code', arguments: { code } }, undefined, options)
  const ran = await run('print(6 * 7)', { onprogress: (p) => steps.push(p.message) })
  assert.equal(ran.content[0].text, '42')
  assert.ok(steps.includes('running in the sandbox'), steps.join())
  const denied = await run('import os; os.system("id")')
  assert.equal(denied._meta['sallyport/result'].status, 'denied')
  const given = new AbortController()
  await assert.rejects(run('import time; time.sleep(100)', { signal: given.signal, onprogress: (p) => p.message === 'running in the sandbox' && given.abort() }))
  await client.close()

  const program = { language: 'python', code: 'print(1)' }
  assert.equal(await status(await token(url.href, 'run'), '/v1/run', program), 200)
  assert.equal(await status(await token(url.href, 'check'), '/v1/run', program), 403, 'a token that may only check runs')
  assert.equal(await status(await token('https://other.example/mcp', 'run'), '/v1/run', program), 401, 'a token for another service runs')
  assert.equal(await status(await token('', 'run'), '/v1/run', program), 401, 'a token that is none of JWT runs')
  console.log('login: found the provider, listed, ran, saw progress, was denied, cancelled; three tokens opened nothing')
} finally {
  service.kill('SIGTERM')
  await once(service, 'exit')
  http.close()
  http.closeAllConnections()
}
