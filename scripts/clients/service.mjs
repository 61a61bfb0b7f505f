// An OpenID provider and sallyport serve that trusts it, both real and on loopback.
// As a program it says in one line of JSON where they are and how to log in, and
// ends with its input. Where AT names a service that is there already, only the
// provider is begun: at ISSUER, over TLS with the files TLS_CERT and TLS_KEY.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { appendFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer as createPlainServer } from 'node:http'
import { createServer as createTLSServer } from 'node:https'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import assert from 'node:assert/strict'
import Provider from 'oidc-provider'

// Each client of the provider is a principal of its own. Those of them that are
// not the agent are there for approvals.
const id = 'agent'
const people = [id, 'builder', 'approver']
const secret = 'a-secret-of-loopback'

const chance = `# METADATA
# title: Own
# description: Asks about chance.
package sallyport.rules.own

# METADATA
# title: Uses chance
# description: For the approvals.
# custom:
#   id: own/chance
#   severity: low
#   remediation: Use a fixed value.
ask contains {"rule": "own/chance", "message": "random is used"} if "random" in input.source.imports
`

async function freePort() {
  const s = createServer().listen(0, '127.0.0.1')
  await once(s, 'listening')
  const { port } = s.address()
  s.close()
  await once(s, 'close')
  return port
}

// provide begins the provider at its address.
async function provide(issuer) {
  const provider = new Provider(issuer, {
    clients: people.map((client_id) => ({ client_id, client_secret: secret, grant_types: ['client_credentials'], redirect_uris: [], response_types: [] })),
    scopes: ['run', 'check', 'approve'],
    extraTokenClaims: (_, token) => ({ groups: ['agent', 'approver'].includes(token.clientId) ? ['approvers'] : [] }),
    features: {
      devInteractions: { enabled: false },
      clientCredentials: { enabled: true },
      resourceIndicators: {
        enabled: true,
        getResourceServerInfo: (_, resource) => ({ audience: resource, scope: 'run check approve', accessTokenTTL: 3600, accessTokenFormat: 'jwt', jwt: { sign: { alg: 'RS256' } } }),
      },
    },
  })
  const { protocol, hostname, port } = new URL(issuer)
  const server = protocol === 'http:' ? createPlainServer(provider.callback())
    : createTLSServer({ cert: readFileSync(process.env.TLS_CERT), key: readFileSync(process.env.TLS_KEY) }, provider.callback())
  server.listen(Number(port), hostname)
  await once(server, 'listening')
  return server
}

// serve begins the service that trusts the provider; ask is what the configuration
// says of approvals, "" for nothing.
async function serve(issuer, ask) {
  const dir = mkdtempSync(join(tmpdir(), 'spl.'))
  const config = join(dir, 'sallyport.yaml')
  writeFileSync(config, `serve: {listen: "127.0.0.1:0", issuers: [{url: "${issuer}", groups_claim: groups}]}\nlimits: {timeout: 2m}\naudit: {dir: ${join(dir, 'audit')}}\n`, { mode: 0o600 })
  if (ask) {
    mkdirSync(join(dir, 'own'))
    writeFileSync(join(dir, 'own', 'own.rego'), chance)
    appendFileSync(config, `policy: {dirs: [own]}\nask: ${ask}\n`)
  }
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

  async function stop() {
    service.kill('SIGTERM')
    await once(service, 'exit')
    rmSync(dir, { recursive: true })
  }
  return { at, config, stop }
}

export async function start(ask = '') {
  const elsewhere = process.env.AT
  const issuer = elsewhere ? process.env.ISSUER : `http://127.0.0.1:${await freePort()}`
  const server = await provide(issuer)
  const service = elsewhere ? { at: elsewhere, stop: async () => {} } : await serve(issuer, ask)

  // token is what the provider gives for a resource, which may be another one.
  async function token(resource, scope, of = id) {
    const r = await fetch(issuer + '/token', {
      method: 'POST',
      headers: { authorization: 'Basic ' + Buffer.from(`${of}:${secret}`).toString('base64') },
      body: new URLSearchParams({ grant_type: 'client_credentials', scope, ...(resource && { resource }) }),
    })
    const body = await r.json()
    assert.equal(r.status, 200, JSON.stringify(body))
    return body.access_token
  }
  async function stop() {
    await service.stop()
    server.close()
    server.closeAllConnections()
  }
  return { ...service, url: service.at + '/mcp', issuer, id, secret, token, stop }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { url, issuer, id, secret, token, stop } = await start()
  console.log(JSON.stringify({ url, issuer, id, secret, token: await token(url, 'run check'), elsewhere: await token('https://other.example/mcp', 'run check') }))
  await once(process.stdin.resume(), 'end')
  await stop()
}
