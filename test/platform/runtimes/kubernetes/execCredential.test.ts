import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { ExecCredential } from '../../../../src/platform/runtimes/kubernetes/access/execCredential.ts';
import type { ExecPlugin } from '../../../../src/platform/runtimes/kubernetes/access/kubeconfig.ts';
import { StartError } from '../../../../src/platform/runtimes/runtime.ts';
import { cleanUp, dataDirectory, settableClock } from '../../support.ts';
import { completeLines } from '../../../support/completeLines.ts';

const V1 = 'client.authentication.k8s.io/v1';
const NOW = Date.parse('2026-01-01T00:00:00Z');
const MINUTE = 60_000;
const cluster = {
  ...{ name: 'c', server: 'https://10.0.0.1', namespace: 'default' },
  cluster: { ca: { text: 'CA' }, insecure: false, serverName: undefined },
  user: { token: undefined, tokenFile: undefined, certificate: undefined, basic: undefined, exec: undefined },
};

/** A plugin that runs a script with Node.js. Each run adds a line to a file. */
async function plugin(script: string, changes: Partial<ExecPlugin> = {}) {
  const directory = await dataDirectory();
  const runs = path.join(directory, 'runs');
  const program = path.join(directory, 'plugin.cjs');
  await writeFile(program, `require('node:fs').appendFileSync(${JSON.stringify(runs)}, 'run\\n'); ${script}`);
  const clock = settableClock(NOW);
  const credential = new ExecCredential(
    {
      ...{ apiVersion: V1, command: process.execPath, args: [program], env: {}, installHint: undefined },
      provideClusterInfo: false,
      ...changes,
    },
    { cluster, environment: process.env, clock },
  );
  const count = async () => (await completeLines(runs)).length;
  return { credential, clock, count };
}

const prints = (status: object, apiVersion = V1): string =>
  `console.log(${JSON.stringify(JSON.stringify({ kind: 'ExecCredential', apiVersion, status }))});`;

describe('A credential plugin', () => {
  afterEach(cleanUp);

  it('runs once until its credentials expire, even for requests at the same time', async () => {
    const expirationTimestamp = new Date(NOW + MINUTE).toISOString();
    const { credential, clock, count } = await plugin(prints({ token: 'T', expirationTimestamp }));
    const first = await Promise.all([credential.get(), credential.get()]);
    assert.deepEqual(
      first.map(({ token }) => token),
      ['T', 'T'],
    );
    clock.set(NOW + MINUTE / 2);
    await credential.get();
    assert.equal(await count(), 1);
    clock.set(NOW + MINUTE - 5_000);
    await credential.get();
    assert.equal(await count(), 2);
    credential.discard();
    await credential.get();
    assert.equal(await count(), 3);
  });

  it('receives its variables and, on request, the cluster, and can print a certificate', async () => {
    const script = `const info = JSON.parse(process.env.KUBERNETES_EXEC_INFO);
      console.log(JSON.stringify({ kind: 'ExecCredential', apiVersion: info.apiVersion, status: {
        token: process.env.OWN, clientCertificateData: info.spec.cluster.server, clientKeyData: 'KEY' } }));`;
    const v1beta1 = 'client.authentication.k8s.io/v1beta1';
    const { credential } = await plugin(script, { apiVersion: v1beta1, env: { OWN: 'own' }, provideClusterInfo: true });
    assert.deepEqual(await credential.get(), {
      token: 'own',
      certificate: { cert: 'https://10.0.0.1', key: 'KEY' },
    });
  });

  it('that fails is reported with its last line, without its arguments, and runs again', async () => {
    const { credential, count } = await plugin("console.error('first\\nplease log in'); process.exit(1);");
    for (const runs of [1, 2]) {
      await assert.rejects(credential.get(), (error) => {
        assert.ok(error instanceof StartError);
        assert.match(error.message, /failed: please log in\. Log in to the cluster again\.$/);
        assert.ok(!error.message.includes('plugin.cjs'));
        return true;
      });
      assert.equal(await count(), runs);
    }
  });

  it('that is missing is reported with its hint', async () => {
    const { credential } = await plugin('', { command: 'no-such-plugin', installHint: 'Install it with x.' });
    await assert.rejects(credential.get(), /no-such-plugin of the kubeconfig was not found\. Install it with x\.$/);
  });

  it('with another output or version is refused', async () => {
    const { credential } = await plugin("console.log('hush-hush')");
    await assert.rejects(credential.get(), (error) => {
      assert.match((error as Error).message, /did not print an ExecCredential/);
      assert.ok(!(error as Error).message.includes('hush'));
      return true;
    });
    const other = await plugin(prints({ token: 'T' }, 'client.authentication.k8s.io/v1beta1'));
    await assert.rejects(other.credential.get(), /did not print an ExecCredential/);
    await assert.rejects(plugin('', { apiVersion: 'client.authentication.k8s.io/v1alpha1' }), /v1alpha1\. Change it/);
  });
});
