import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import type { Job } from '../../src/contract/job.ts';
import { jobAddresses } from '../../src/features/jobs/results/jobAddress.ts';
import { jobDocument, JobWorld } from './jobWorld.ts';

const { executeCommand } = vscode.commands;
const RUN_AND_WAIT = 'cloudCompute.jobs.runAndWait';
const jobIn = (document: vscode.TextDocument) => JSON.parse(document.getText()) as Job;

describe('Running jobs on the local platform', () => {
  const world = new JobWorld();

  before(() => world.start());
  after(() => world.stop());
  afterEach(() => world.reset());

  /** Checks that an endpoint runs no job, and that no document of a canceled job has opened. */
  async function assertCanceled(endpointId: string): Promise<void> {
    await world.told(/was canceled/);
    const { jobs } = await world.client.getEndpointHealth({ endpointId });
    assert.deepEqual([jobs.inProgress, jobs.inQueue, jobs.failed], [0, 0, 0]);
    const shown = vscode.window.visibleTextEditors.map(({ document }) => document.getText());
    assert.ok(!shown.some((text) => text.includes('CANCELLED')));
  }

  it('uses the endpoint that the file names, without a question', async () => {
    await world.endpoint('first');
    const second = await world.endpoint('second');
    for (const endpoint of ['second', second]) {
      await world.run('named', { endpoint, input: { do: 'echo', value: { by: endpoint } } });
      const document = await jobDocument('.json', new RegExp(`"by": "${endpoint}"`));
      assert.equal(jobAddresses.parse(document.uri)?.endpointId, second);
      assert.match(document.getText(), /COMPLETED/);
    }
  });

  it('refuses an unknown endpoint and one that takes no jobs', async () => {
    await world.endpoint('balanced', { type: 'LOAD_BALANCER', scaling: { type: 'REQUEST_COUNT', requestCount: 1 } });
    await world.run('unknown', { endpoint: 'nowhere', input: {} });
    await world.told(/there is no endpoint “nowhere” on “/);
    await world.run('balanced', { endpoint: 'balanced', input: {} });
    await world.told(/“balanced” is load-balanced/);
  });

  it('refuses a request over the limit before sending it, and offers Run and Wait up to 20 MB', async () => {
    const id = await world.endpoint('sizes');
    const file = (bytes: number) => ({ endpoint: 'sizes', input: { do: 'length', text: 'x'.repeat(bytes) } });
    await world.run('huge', file(21 * 1_048_576));
    await world.told(/^The request has 21\.1 MB, and the platform accepts at most 10 MB\. Store the data/);
    world.choice = 'Run and Wait';
    await world.run('large', file(12 * 1_048_576));
    await world.told(/^The request has 12\.1 MB.*“Run and Wait” accepts up to 20 MB\.$/);
    const { output } = jobIn(await jobDocument('.json', /COMPLETED/));
    assert.ok(Number(output) > 12 * 1_048_576);
    const { jobs } = await world.client.getEndpointHealth({ endpointId: id });
    assert.equal(jobs.completed, 1);
  });

  it('shows the state, the queue, and the worker while a job runs, and cancels it on the platform', async () => {
    const endpointId = await world.endpoint('slow');
    const running = world.run('slow', { endpoint: 'slow', input: { do: 'wait' } });
    await world.progressed(/waiting for a worker/);
    await world.progressed(/running on \w+/);
    world.cancel();
    await running;
    await assertCanceled(endpointId);
  });

  it('waits for a result with runsync, and cancels the job on the platform too', async () => {
    const endpointId = await world.endpoint('sync');
    await world.run('sync', { endpoint: 'sync', input: { do: 'echo', value: 7 } }, RUN_AND_WAIT);
    assert.equal(jobIn(await jobDocument('.json', /COMPLETED/)).output, 7);

    const running = world.run('sync', { endpoint: 'sync', input: { do: 'wait' } }, RUN_AND_WAIT);
    await world.progressed(/running on \w+/);
    world.cancel();
    await running;
    await assertCanceled(endpointId);
  });

  it('continues a job that outlasts the wait, and follows it to its end', async () => {
    const id = await world.endpoint('paused', { workers: { min: 0, max: 0 }, timeout: 5_000 });
    world.choice = 'Show Job';
    await world.run('paused', { endpoint: 'paused', input: { do: 'echo', value: 1 } }, RUN_AND_WAIT);
    await world.told(/has not ended after 5 s\. It continues/);
    await jobDocument('.json', /IN_QUEUE/);
    await world.client.updateEndpoint({ id, body: { workers: { min: 1, max: 1 } } });
    await jobDocument('.json', /COMPLETED/);
  });

  it('shows the chunks of a stream as they arrive, and a line about the end', async () => {
    await world.endpoint('chunks');
    const values = ['Hello', ', world', { step: 1 }, 'done'];
    const running = world.run('chunks', { endpoint: 'chunks', input: { do: 'stream', values } });
    const stream = await jobDocument('.stream.txt', /Hello/);
    await running;
    await jobDocument('.stream.txt', /— Completed: 4 chunks, \d+ B —/);
    assert.match(stream.getText(), /^Hello, world\n\{"step":1\}\ndone\n\n— Completed/);
    const address = jobAddresses.sibling(stream.uri, { part: 'result' });
    assert.ok(address);
    const result = await vscode.workspace.openTextDocument(vscode.Uri.from(address));
    assert.deepEqual(jobIn(result).output, values);
  });

  it('continues a stream that is cut in the middle, and ends it when the job is canceled', async () => {
    await world.endpoint('cut');
    const values = ['one ', 'two ', 'three '];
    const running = world.run('cut', { endpoint: 'cut', input: { do: 'stream', values, pauseMs: 1_500, hang: true } });
    await jobDocument('.stream.txt', /one /);
    await world.control.addFault({ body: { operation: 'streamJob', drop: true, count: 1 } });
    await jobDocument('.stream.txt', /interrupted[^]*three /);
    world.cancel();
    await running;
    await jobDocument('.stream.txt', /— Canceled: \d chunks/);
  });

  it('opens no document for a handler that does not stream', async () => {
    const id = await world.endpoint('plain');
    await world.run('plain', { endpoint: 'plain', input: { do: 'wait', ms: 1_500 } });
    await jobDocument('.json', /COMPLETED/);
    const addresses = vscode.workspace.textDocuments.map(({ uri }) => jobAddresses.parse(uri));
    const parts = addresses.filter((address) => address?.endpointId === id).map((address) => address?.part);
    assert.deepEqual(parts, ['result']);
  });

  it('follows a job again after the platform was stopped in the middle, and announces its end once', async () => {
    const endpointId = await world.endpoint('resumed', { workers: { min: 0, max: 0 } });
    const running = world.run('resumed', { endpoint: 'resumed', input: { do: 'echo', value: 1 } });
    await world.progressed(/waiting/);
    await executeCommand('cloudCompute.localPlatform.stop');
    await running;
    await world.attach();
    await world.client.updateEndpoint({ id: endpointId, body: { workers: { min: 1, max: 1 } } });
    for (;;) {
      const { jobs } = await world.client.getEndpointHealth({ endpointId });
      if (jobs.completed === 1) break;
      await new Promise(setImmediate);
    }
    await executeCommand('cloudCompute.localPlatform.start');
    await world.told(/^The job on “resumed” ended while the connection was not in use: completed\.$/);
    assert.equal(world.messages.filter((text) => text.includes('“resumed” ended')).length, 1);
  });
});
