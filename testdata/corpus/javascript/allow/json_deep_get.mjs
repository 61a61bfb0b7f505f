const get = (o, path, fallback) => path.split('.').reduce((v, k) => v?.[k], o) ?? fallback;
const config = { server: { port: 8080, hosts: ['a', 'b'] } };
console.log(get(config, 'server.port'), get(config, 'server.hosts.1'), get(config, 'client.name', 'none'));
