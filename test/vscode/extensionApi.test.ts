import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import type { CloudComputeApi, CloudComputeExports, JobInfo } from '../../src/api/cloudCompute.d.ts';
import { jobDocument, JobWorld } from './jobWorld.ts';
import { extension, nextEvent } from './support.ts';

describe('The API for other extensions', function () {
  this.timeout(60_000);
  const world = new JobWorld();
  let api: CloudComputeApi;

  before(async () => {
    await world.start();
    api = (extension() as vscode.Extension<CloudComputeExports>).exports.getApi(1);
  });
  after(() => world.stop());
  beforeEach(() => world.reset());

  it('has one version, and refuses others', () => {
    const { exports } = extension() as vscode.Extension<CloudComputeExports>;
    assert.equal(api.version, 1);
    assert.equal(exports.getApi(1), api);
    assert.throws(() => exports.getApi(2 as 1), { name: 'CloudComputeError', code: 'unsupportedVersion' });
  });

  it('lists the connections without their keys', async () => {
    const all = await api.connections.list();
    assert.equal(api.connections.active?.kind, 'local');
    assert.ok(all.some(({ id }) => id === api.connections.active?.id));
    for (const one of all) assert.deepEqual(Object.keys(one).sort(), ['baseUrl', 'id', 'isAvailable', 'kind', 'name']);
  });

  it('has the addresses of the local platform without its key', async () => {
    assert.equal(api.localPlatform.state, 'running');
    const addresses = await api.localPlatform.start();
    assert.deepEqual(addresses, api.localPlatform.addresses);
    assert.equal(addresses.baseUrl, api.connections.active?.baseUrl);
    assert.deepEqual(Object.keys(addresses).sort(), ['baseUrl', 'endpointHost', 'queueUrl']);
  });

  it('lists the endpoints, reports their changes, and shows them', async () => {
    const changed = nextEvent(api.endpoints.onDidChange);
    const id = await world.endpoint('api-list', { workers: { min: 0, max: 2 } });
    assert.deepEqual(await api.endpoints.list(), [
      { id, name: 'api-list', type: 'QUEUE', workers: { min: 0, max: 2 } },
    ]);
    await changed;
    await api.endpoints.reveal(id);
    await assert.rejects(api.endpoints.reveal('unknown'), { code: 'notFound' });
  });

  it('submits a job, follows it, and reads and opens its result', async () => {
    const endpointId = await world.endpoint('api-jobs');
    const job = await api.jobs.submit({
      endpointId,
      input: { do: 'echo', value: { answer: 42 } },
      requester: 'Test',
    });
    const seen: JobInfo[] = [];
    const last = await api.jobs.follow(job, (state) => seen.push(state));
    assert.equal(last.status, 'COMPLETED');
    assert.deepEqual(seen.at(-1), last);
    assert.deepEqual({ ...(await api.jobs.read(job)) }, { ...last });
    assert.match(JSON.stringify(last.output), /42/);
    await api.jobs.open(job);
    await jobDocument(`/${job.jobId}.json`, /42/);
    // Jobs of the local platform are free.
    assert.deepEqual(world.messages, []);
  });

  it('ends the following of a job when it is canceled, and not the job', async () => {
    const endpointId = await world.endpoint('api-cancel', { workers: { min: 0, max: 0 } });
    const job = await api.jobs.submit({ endpointId, input: {}, requester: 'Test' });
    const { token, cancel } = cancellation();
    await assert.rejects(api.jobs.follow(job, cancel, token), { name: 'CloudComputeError', code: 'canceled' });
    assert.equal((await api.jobs.read(job)).status, 'IN_QUEUE');
  });

  for (const [what, submission] of Object.entries({
    'an input that is no object': { endpointId: 'a', input: [] as never, requester: 'Test' },
    'no requester': { endpointId: 'a', input: {}, requester: '' },
  }))
    it(`refuses a job with ${what}`, () =>
      assert.rejects(api.jobs.submit(submission), { name: 'CloudComputeError', code: 'invalid' }));

  it('refuses a job on an unknown endpoint, or of another connection', async () => {
    await assert.rejects(api.jobs.submit({ endpointId: 'unknown', input: {}, requester: 'Test' }), {
      code: 'notFound',
    });
    const foreign = { connectionId: 'other', endpointId: 'a', jobId: 'b' };
    await assert.rejects(api.jobs.read(foreign), { code: 'notConnected' });
    await assert.rejects(api.jobs.open(foreign), { code: 'notConnected' });
  });

  it('opens an unsaved manifest', async () => {
    await api.manifests.open('name: from-api\n');
    const document = vscode.window.activeTextEditor?.document;
    assert.equal(document?.getText(), 'name: from-api\n');
    assert.equal(document.languageId, 'cloud-compute-endpoint-yaml');
    await vscode.commands.executeCommand('workbench.action.revertAndCloseActiveEditor');
  });
});

function cancellation(): { readonly token: vscode.CancellationToken; readonly cancel: () => void } {
  const source = new vscode.CancellationTokenSource();
  return { token: source.token, cancel: () => source.cancel() };
}
