import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import * as vscode from 'vscode';
import { systemClock } from '../../src/client/clock.ts';
import type { Client } from '../../src/client/client.ts';
import { LOCAL_ID } from '../../src/features/connections/connectionDocument.ts';
import { ConnectionStore } from '../../src/features/connections/connectionStore.ts';
import { platformProcess, type StartedPlatform } from '../../src/features/localPlatform/platformProcess.ts';
import { LogChannels } from '../../src/features/logs/logChannels.ts';
import type { LoggedWorker } from '../../src/features/logs/model/loggedWorker.ts';
import { WorkerLogStore } from '../../src/features/logs/workerLogStore.ts';
import { extension, waitFor, workspaceFolder } from './support.ts';

const writes = [
  vscode.workspace.onDidChangeTextDocument,
  vscode.workspace.onDidOpenTextDocument,
] as vscode.Event<never>[];

/** Resolves with the lines of the output channel, without times, once it contains all of the texts. */
async function shownLog(...texts: readonly string[]): Promise<string[]> {
  const document = await waitFor(writes, () =>
    vscode.workspace.textDocuments.find(
      (one) => one.uri.scheme === 'output' && texts.every((text) => one.getText().includes(text)),
    ),
  );
  return document
    .getText()
    .trimEnd()
    .split('\n')
    .map((line) => line.replace(/^\d\d:\d\d:\d\d\.\d{3} /, ''));
}

const memory = (): vscode.SecretStorage => ({
  get: () => Promise.resolve(undefined),
  keys: () => Promise.resolve([]),
  store: () => Promise.resolve(),
  delete: () => Promise.resolve(),
  onDidChange: () => new vscode.Disposable(() => undefined),
});

/** Uses its own local platform, which it stops and starts. */
describe('The log of a worker', function () {
  this.timeout(60_000);

  const connections = new ConnectionStore(memory());
  const store = new WorkerLogStore(connections);
  const channels = new LogChannels(store, systemClock);
  const log = vscode.window.createOutputChannel('Test of worker logs', { log: true });
  let dataDir: string;
  let platform: StartedPlatform;
  let worker: LoggedWorker;

  async function startPlatform(): Promise<Client> {
    const script = path.join(extension().extensionPath, 'dist', 'platform.js');
    platform = await platformProcess({ script, dataDir: () => dataDir, port: () => 0, log })();
    await connections.use({ kind: 'local', name: 'Local', ...platform.announcement });
    assert.ok(connections.client);
    return connections.client;
  }

  async function stopPlatform(): Promise<void> {
    connections.suspendLocal();
    await platform.stop();
  }

  before(async () => {
    dataDir = await mkdtemp(path.join(tmpdir(), 'cloud-compute-logs-'));
    const client = await startPlatform();
    const directory = vscode.Uri.joinPath(workspaceFolder(), 'hello').fsPath;
    const { id } = await client.createEndpoint({
      body: {
        name: 'logged',
        type: 'QUEUE',
        scaling: { type: 'QUEUE_DELAY', queueDelay: 1 },
        workers: { min: 1, max: 1 },
        cpu: [{ id: 'cpu3c', vcpuCount: 2 }],
        image: `process:${directory}`,
        cmd: ['node', 'handler.mjs'],
        env: { LOAD_SECONDS: '0' },
      },
    });
    await client.runJobSync({ endpointId: id, body: { input: { name: 'one', seconds: 1 } } });
    const { workers } = await client.listEndpointWorkers({ id });
    const workerId = workers[0]?.id;
    assert.ok(workerId !== undefined);
    worker = { connectionId: LOCAL_ID, endpointId: id, endpointName: 'logged', workerId };
  });

  after(async () => {
    for (const disposable of [channels, store, connections]) disposable.dispose();
    await platform.stop();
    log.dispose();
    await rm(dataDir, { recursive: true, force: true, maxRetries: 3 });
  });

  it('shows the earlier lines in a log channel', async () => {
    store.follow(worker);
    channels.show(worker);
    const lines = await shownLog('greeting one', 'second 1 of 1');
    assert.match(lines[0] ?? '', /^\d{4}-\d\d-\d\d$/);
    assert.equal(lines[1], '[following] connected');
    assert.ok(lines.includes('[system] worker is ready'));
    assert.ok(vscode.workspace.textDocuments.some((one) => one.uri.scheme === 'output' && one.languageId === 'log'));
    assert.deepEqual(store.followed, [worker]);
  });

  it('continues after a restart of the platform without lost or duplicate lines', async () => {
    await stopPlatform();
    await shownLog('[following] the platform stopped');
    await startPlatform();
    const lines = await shownLog('[following] reconnected');
    for (const once of [
      '[system] worker is ready',
      'second 1 of 1',
      '[following] reconnected, continuing after the last line',
    ]) {
      assert.equal(lines.filter((line) => line === once).length, 1, once);
    }
  });

  it('stops on request and continues in the same channel', async () => {
    store.stop(worker);
    assert.deepEqual(store.followed, []);
    await shownLog('[following] stopped');
    store.follow(worker);
    channels.show(worker);
    const lines = await shownLog('[following] stopped', '[following] reconnected');
    assert.equal(lines.filter((line) => line === '[following] connected').length, 1);
    assert.equal(lines.filter((line) => line === 'second 1 of 1').length, 1);
  });

  it('shows the reason when the service rejects the request', async () => {
    const stranger = { ...worker, workerId: 'nobody' };
    store.follow(stranger);
    channels.show(stranger);
    const lines = await shownLog('[following] ended');
    assert.match(lines.at(-1) ?? '', /^\[following\] ended: .*\. The worker no longer exists\. Its log is above\.$/);
    assert.deepEqual(store.followed, [worker]);
  });

  it('is removed with its connection', async () => {
    await connections.forget();
    assert.deepEqual([store.followed, store.known], [[], []]);
  });
});
