import assert from 'node:assert/strict';
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { stringify } from 'yaml';
import {
  clusterAccess,
  configFiles,
  inCluster,
} from '../../../../src/platform/runtimes/kubernetes/access/clusterAccess.ts';
import { contextIn } from '../../../../src/platform/runtimes/kubernetes/access/kubeconfig.ts';
import { StartError } from '../../../../src/platform/runtimes/runtime.ts';
import { systemClock } from '../../../../src/platform/time/clock.ts';
import { cleanUp, dataDirectory } from '../../support.ts';

const base64 = (text: string): string => Buffer.from(text).toString('base64');

function config(changes: { cluster?: object; user?: object; context?: object; current?: string } = {}) {
  return stringify({
    ...{ apiVersion: 'v1', kind: 'Config', 'current-context': changes.current ?? 'c' },
    clusters: [{ name: 'k', cluster: { server: 'https://10.0.0.1:6443', ...changes.cluster } }],
    users: [{ name: 'u', user: changes.user ?? { token: 'T' } }],
    contexts: [{ name: 'c', context: { cluster: 'k', user: 'u', ...changes.context } }],
  });
}

const file = (text: string, at = '/home/me/.kube/config') => ({ path: at, text });
const refusal = (text: string, choice = {}): string => {
  try {
    contextIn([file(text)], choice);
  } catch (error) {
    assert.ok(error instanceof StartError);
    return error.message;
  }
  return assert.fail('the kubeconfig was accepted');
};

describe('A kubeconfig', () => {
  afterEach(cleanUp);

  it('gives the current context, or the chosen one, with its namespace', () => {
    const text = config({ context: { namespace: 'team' } });
    const found = contextIn([file(text)], {});
    assert.deepEqual([found.name, found.server, found.namespace], ['c', 'https://10.0.0.1:6443', 'team']);
    assert.equal(contextIn([file(text)], { namespace: 'other' }).namespace, 'other');
    assert.equal(contextIn([file(config())], {}).namespace, 'default');
    assert.match(refusal(text, { context: 'x' }), /has no context x.*--kube-context: c\./);
    assert.match(refusal(config({ current: '' })), /has no current context/);
  });

  it('joins files, of which the first one counts', () => {
    const second = config({ current: 'd' }).replace('token: T', 'token: second');
    const only = stringify({ 'current-context': 'c' });
    const found = contextIn([file(only), file(config()), file(second, '/b')], {});
    assert.deepEqual([found.name, found.user.token], ['c', 'T']);
  });

  it('resolves paths relative to its own file, and prefers embedded data', () => {
    const text = config({
      cluster: { 'certificate-authority': 'ca.pem' },
      user: {
        'client-certificate': '../me.pem',
        'client-key': '/key.pem',
        'client-key-data': base64('KEY'),
        tokenFile: 't',
      },
    });
    const { cluster, user } = contextIn([file(text, '/home/me/.kube/config')], {});
    assert.deepEqual(cluster.ca, { file: '/home/me/.kube/ca.pem' });
    assert.deepEqual(user.certificate, { cert: { file: '/home/me/me.pem' }, key: { text: 'KEY' } });
    assert.equal(user.tokenFile, '/home/me/.kube/t');
  });

  it('is refused with the reason if a setting is not supported, because requests would go wrong without it', () => {
    assert.match(refusal(config({ cluster: { 'proxy-url': 'http://p' } })), /proxy-url, which is not supported/);
    assert.match(refusal(config({ user: { token: 'T', as: 'admin' } })), /impersonation/);
    assert.match(refusal(config({ user: { 'auth-provider': { name: 'oidc' } } })), /"exec" plugin/);
    assert.match(refusal(config({ context: { cluster: 'x' } })), /has no cluster x/);
    assert.match(refusal(config({ context: { user: 'x' } })), /has no user x/);
  });

  it('is refused without its content if it is not valid', () => {
    const message = refusal('users: [ { token: hush-hush');
    assert.match(message, /config is not valid YAML/);
    assert.ok(!message.includes('hush'));
    assert.match(refusal('clusters: [{ name: 1 }]'), /invalid value at clusters\.0\.name/);
  });

  it('is found by KUBECONFIG or in the home directory, and missing files are omitted', async () => {
    const home = await dataDirectory();
    assert.deepEqual(await configFiles({ HOME: home }), []);
    await mkdir(path.join(home, '.kube'));
    await writeFile(path.join(home, '.kube', 'config'), 'a: 1');
    assert.deepEqual(
      (await configFiles({ HOME: home })).map(({ text }) => text),
      ['a: 1'],
    );
    const other = path.join(home, 'other');
    await writeFile(other, 'b: 2');
    const listed = [path.join(home, 'missing'), other].join(path.delimiter);
    assert.deepEqual(
      (await configFiles({ HOME: home, KUBECONFIG: listed })).map(({ text }) => text),
      ['b: 2'],
    );
    await assert.rejects(configFiles({ KUBECONFIG: home }), /cannot be read/);
  });
});

describe('The access to a cluster', () => {
  afterEach(cleanUp);

  const accessWith = async (changes: Parameters<typeof config>[0]) => {
    const directory = await dataDirectory();
    const at = path.join(directory, 'config');
    await writeFile(at, config(changes));
    return { directory, access: await clusterAccess({ environment: { KUBECONFIG: at }, clock: systemClock }) };
  };

  it('contains the address, the certificates, and the token', async () => {
    const { access } = await accessWith({
      cluster: { server: 'https://[::1]/k8s/c1', 'certificate-authority-data': base64('CA'), 'tls-server-name': 'k' },
      user: { token: 'T', 'client-certificate-data': base64('CERT'), 'client-key-data': base64('KEY') },
    });
    assert.deepEqual(access.connection.options, {
      host: '::1',
      port: 443,
      ca: 'CA',
      servername: 'k',
      rejectUnauthorized: true,
    });
    assert.equal(access.pathPrefix, '/k8s/c1');
    assert.deepEqual(await access.connection.headers?.(), { Authorization: 'Bearer T' });
    assert.deepEqual(await access.connection.certificate?.(), { cert: 'CERT', key: 'KEY' });
  });

  it('reads the file of the token for each request', async () => {
    const { access, directory } = await accessWith({ user: { tokenFile: 'token' } });
    await writeFile(path.join(directory, 'token'), 'first\n');
    assert.deepEqual(await access.connection.headers?.(), { Authorization: 'Bearer first' });
    await writeFile(path.join(directory, 'token'), 'second\n');
    assert.deepEqual(await access.connection.headers?.(), { Authorization: 'Bearer second' });
  });

  it('supports user names, and servers without verification', async () => {
    const { access } = await accessWith({
      cluster: { 'insecure-skip-tls-verify': true },
      user: { username: 'me', password: 'p' },
    });
    assert.equal(access.connection.options.rejectUnauthorized, false);
    assert.deepEqual(await access.connection.headers?.(), { Authorization: `Basic ${base64('me:p')}` });
  });

  it('of a pod is that to its own cluster, with the token of its service account', async () => {
    const directory = await dataDirectory();
    const environment = { KUBERNETES_SERVICE_HOST: 'fd00::1', KUBERNETES_SERVICE_PORT: '443' };
    assert.equal(await inCluster(environment, {}, directory), undefined);
    await writeFile(path.join(directory, 'token'), 'T');
    await writeFile(path.join(directory, 'namespace'), 'jobs\n');
    const own = await inCluster(environment, {}, directory);
    assert.deepEqual([own?.server, own?.namespace], ['https://[fd00::1]:443', 'jobs']);
    assert.equal(own?.user.tokenFile, path.join(directory, 'token'));
    assert.equal((await inCluster(environment, { namespace: 'other' }, directory))?.namespace, 'other');
    assert.equal(await inCluster({}, {}, directory), undefined);
  });

  it('without any configuration is refused with the remedy', async () => {
    const environment = { HOME: await dataDirectory() };
    await assert.rejects(clusterAccess({ environment, clock: systemClock }), (error) => {
      assert.ok(error instanceof StartError);
      assert.equal(error.problem, 'engineMissing');
      assert.match(error.message, /Set KUBECONFIG/);
      return true;
    });
  });
});
