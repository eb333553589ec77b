import assert from 'node:assert/strict';
import http from 'node:http';
import { hostname, networkInterfaces } from 'node:os';
import { pino } from 'pino';
import { operations } from '../../src/contract/operations.ts';
import { readFlags } from '../../src/platform/daemon/flags.ts';
import { readOwnerKey } from '../../src/platform/daemon/ownerKey.ts';
import { isLoopback } from '../../src/platform/http/loopback.ts';
import { checkHost } from '../../src/platform/routes/access.ts';
import { findRunning } from '../../src/platform/daemon/attach.ts';
import { Api, cleanUp, dataDirectory, platformForTest } from './support.ts';

/** An address of this machine that other machines can reach. */
const externalAddress = Object.values(networkInterfaces())
  .flat()
  .find((one) => one?.family === 'IPv4' && !one.internal)?.address;

/** Sends a request with a custom Host header, which `fetch` does not allow. */
function statusOf(address: string, port: string, headers: Record<string, string>): Promise<number> {
  return new Promise((resolve, reject) => {
    const request = http.get({ host: address, port, path: '/v2/serverless', headers }, (response) => {
      response.resume();
      resolve(response.statusCode ?? 0);
    });
    request.on('error', reject);
  });
}

describe('Platform on non-loopback addresses', () => {
  afterEach(cleanUp);

  it('logs a warning, and accepts only its own addresses and names', async function () {
    if (externalAddress === undefined) this.skip();
    const logged: string[] = [];
    const log = pino({ base: null }, { write: (line: string) => void logged.push(line) });
    const { api } = await platformForTest({ host: '0.0.0.0', apiKey: 'a key that is long enough', log });
    assert.ok(logged.some((line) => line.includes('other machines can reach this platform')));
    assert.equal(new URL(api.addresses.baseUrl).hostname, '127.0.0.1', 'workers use the loopback address');
    await api.call(operations.listEndpoints);
    const { port } = new URL(api.addresses.baseUrl);
    const asked = (address: string, host: string, more: Record<string, string> = {}) =>
      statusOf(address, port, { Host: host, Authorization: 'Bearer a key that is long enough', ...more });
    assert.equal(await asked(externalAddress, `${externalAddress}:${port}`), 200);
    assert.equal(await asked(externalAddress, `${hostname()}:${port}`), 200);
    assert.equal(
      await asked(externalAddress, `${externalAddress}:${port}`, { Origin: `http://${externalAddress}:${port}` }),
      200,
    );
    assert.equal(await asked(externalAddress, `rebound.example:${port}`), 403);
    assert.equal(await asked(externalAddress, `${externalAddress}:1`), 403);
    assert.equal(await asked(externalAddress, `${externalAddress}:${port}`, { Origin: 'http://evil.example' }), 403);
    assert.equal(
      await asked('127.0.0.1', `${externalAddress}:${port}`),
      403,
      'the header names another address of the machine',
    );
    assert.equal(await asked(externalAddress, `${externalAddress}:${port}`, { Authorization: '' }), 401);
  });

  it('announces its address if it listens on only one', async function () {
    if (externalAddress === undefined) this.skip();
    const { api } = await platformForTest({ host: externalAddress });
    assert.equal(new URL(api.addresses.queueUrl).hostname, externalAddress);
    await api.call(operations.listEndpoints);
  });

  it('answers with the address of its proxy, and accepts the host and the origin of that address', async () => {
    const publicUrl = new URL('https://compute.example.com');
    const dataDir = await dataDirectory();
    const { platform } = await platformForTest({ publicUrl, apiKey: 'key', dataDir });
    const { baseUrl, endpointHost } = platform.announcement;
    assert.equal(baseUrl, 'https://compute.example.com');
    assert.equal(endpointHost, 'https://compute.example.com/endpoints/{endpoint_id}');
    const own = await findRunning(dataDir, 'key');
    assert.ok(typeof own === 'object', 'programs on this machine find the platform without the proxy');
    const api = new Api(own);
    const endpoint = await api.createEndpoint();
    assert.match(JSON.stringify(endpoint.requestUrls), /"https:\/\/compute\.example\.com\/queue\/v2\//);
    const { port } = new URL(own.baseUrl);
    const asked = (Host: string, more: Record<string, string> = {}) =>
      statusOf('127.0.0.1', port, { Host, Authorization: 'Bearer key', ...more });
    for (const host of ['compute.example.com', 'Compute.Example.com:443', `127.0.0.1:${port}`])
      assert.equal(await asked(host, { Origin: publicUrl.origin }), 200, host);
    assert.equal(await asked('compute.example.com:444'), 403);
    assert.equal(await asked('compute.example.com', { Origin: 'https://evil.example' }), 403);
    await api.worker(endpoint, 'IDLE');
  });

  it('is not reachable by other machines by default', async function () {
    if (externalAddress === undefined) this.skip();
    const { api } = await platformForTest();
    const { port } = new URL(api.addresses.baseUrl);
    await assert.rejects(statusOf(externalAddress, port, {}), { code: 'ECONNREFUSED' });
  });

  it('accepts its name without a port if it uses the default port of HTTP', () => {
    const request = (host: string) => ({ headers: { host }, socket: { localAddress: '127.0.0.1' } });
    checkHost(request('localhost'), 80);
    checkHost(request('localhost:80'), 80);
    assert.throws(() => checkHost(request('localhost'), 8080), /does not name this platform/);
    assert.throws(() => checkHost(request('evil.example'), 80), /does not name this platform/);
  });

  it('recognizes loopback addresses', () => {
    for (const own of ['127.0.0.1', '127.1.2.3', '::1']) assert.ok(isLoopback(own), own);
    for (const open of ['0.0.0.0', '::', '192.168.1.5', '10.0.0.1', 'fe80::1']) assert.ok(!isLoopback(open), open);
  });
});

describe('Access flags', () => {
  const refused = (...args: string[]): string => {
    try {
      readFlags(args);
    } catch (error) {
      return (error as Error).message;
    }
    return assert.fail('the flags were accepted');
  };

  it('allow access from other machines only with a key that is hard to guess', async () => {
    const key = (...args: string[]) => readOwnerKey(readFlags(args), {}, () => process.stdin);
    assert.equal(readFlags([]).host, undefined);
    assert.equal(readFlags(['--host', '0.0.0.0']).host, '0.0.0.0');
    assert.equal(await key('--host', '::1', '--api-key', 'dev'), 'dev');
    assert.equal(await key('--host', '0.0.0.0', '--api-key', 'sixteen letters!'), 'sixteen letters!');
    assert.equal(await key('--host', '0.0.0.0'), undefined);
    await assert.rejects(key('--host', '0.0.0.0', '--api-key', 'dev'), /the key needs at least 16 characters/);
    assert.match(refused('--host', 'everywhere'), /must be an IP address/);
  });

  it('set the quotas of users, and whether the owner has them too', () => {
    const none = { quotas: undefined, invocationQuotas: undefined, limitOwner: false };
    assert.deepEqual(readFlags([]).rateLimits, none);
    const quotas = { minute: 1, hour: 20, day: 300 };
    const given = readFlags(['--rate-limits', '1,20,300', '--limit-owner']).rateLimits;
    assert.deepEqual(given, { ...none, quotas, limitOwner: true });
    const ofInvocations = readFlags(['--invocation-rate-limits', '1,20,300']).rateLimits;
    assert.deepEqual(ofInvocations, { ...none, invocationQuotas: quotas });
    for (const text of ['60', '1,2', '0,1,2', '1,2,3,4', 'a,b,c', '-1,2,3']) {
      for (const flag of ['--rate-limits', '--invocation-rate-limits'])
        assert.ok(refused(`${flag}=${text}`).startsWith(`${flag} must be three numbers above 0`));
    }
  });
});
