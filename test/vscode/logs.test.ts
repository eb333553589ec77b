import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import * as vscode from 'vscode';
import { systemClock } from '../../src/client/clock.ts';
import type { Client } from '../../src/client/client.ts';
import { LOCAL_ID } from '../../src/account/connections/connectionDocument.ts';
import { ConnectionStore } from '../../src/account/connections/connectionStore.ts';
import { platformProcess, type StartedPlatform } from '../../src/account/localPlatform/platformProcess.ts';
import { LogArchives } from '../../src/features/logs/archive/logArchives.ts';
import { LogChannels } from '../../src/features/logs/channels/logChannels.ts';
import { LineColors } from '../../src/features/logs/colors/lineColors.ts';
import { FollowedLogs } from '../../src/features/logs/follow/followedLogs.ts';
import { WorkerWatch } from '../../src/features/logs/follow/workerWatch.ts';
import { onDidChangeViewOptions, viewOptions } from '../../src/features/logs/logSettings.ts';
import type { LogSubject } from '../../src/features/logs/model/logSubject.ts';
import { extension, waitFor, workspaceFolder } from './support.ts';

const writes = [
  vscode.workspace.onDidChangeTextDocument,
  vscode.workspace.onDidOpenTextDocument,
] as vscode.Event<never>[];

/** Resolves with the lines of an output channel, without times, once it contains all of the texts. */
async function shownLog(...texts: readonly (string | RegExp)[]): Promise<string[]> {
  const isIn = (text: string | RegExp, all: string) => (typeof text === 'string' ? all.includes(text) : text.test(all));
  const document = await waitFor(writes, () =>
    vscode.workspace.textDocuments.find(
      (one) => one.uri.scheme === 'output' && texts.every((text) => isIn(text, one.getText())),
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
describe('Followed logs', () => {
  const connections = new ConnectionStore(memory());
  let archiveFolder: string;
  const archives = new LogArchives(
    () => archiveFolder,
    () => ({ each: 1e9, all: 1e9 }),
  );
  const followed = new FollowedLogs({
    ...{ connections, archives, clock: systemClock },
    onFailure: (_, error) => assert.fail(error),
  });
  const channels = new LogChannels({
    ...{ followed, clock: systemClock, colors: new LineColors() },
    onError: (error) => assert.fail(String(error)),
    options: viewOptions,
    onDidChangeOptions: onDidChangeViewOptions,
  });
  const watch = new WorkerWatch(followed, { connections, clock: systemClock });
  watch.setFocused(true);
  const log = vscode.window.createOutputChannel('Test of worker logs', { log: true });
  let dataDir: string;
  let platform: StartedPlatform;
  let worker: LogSubject;
  let endpoint: LogSubject;

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
    archiveFolder = path.join(dataDir, 'archives');
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
    endpoint = { connectionId: LOCAL_ID, endpointId: id, endpointName: 'logged' };
    worker = { ...endpoint, workerIds: [workerId] };
  });

  after(async () => {
    for (const disposable of [watch, channels, followed, connections]) disposable.dispose();
    await archives.close();
    await platform.stop();
    log.dispose();
    await rm(dataDir, { recursive: true, force: true, maxRetries: 3 });
  });

  const show = (subject: LogSubject): void => {
    channels.create(subject);
    followed.follow(subject, { tail: 1_000 });
    channels.show(subject);
  };
  const shownSubjects = () => followed.all.filter(({ isWanted }) => isWanted).map(({ subject }) => subject);

  it('shows the earlier lines in a log channel', async () => {
    show(worker);
    const lines = await shownLog('greeting one', 'second 1 of 1');
    assert.match(lines[0] ?? '', /^\d{4}-\d\d-\d\d$/);
    assert.equal(lines[1], '[following] connected');
    assert.ok(lines.includes('[system] worker is ready'));
    const document = vscode.workspace.textDocuments.find(
      ({ uri, languageId }) => uri.scheme === 'output' && languageId === 'cloud-compute-log',
    );
    assert.ok(document);
    assert.deepEqual(channels.subjectOf(document), worker);
    assert.deepEqual(shownSubjects(), [worker]);
    assert.equal(followed.statusOf(worker), 'following');
  });

  it('continues after a restart of the platform without lost or duplicate lines', async () => {
    await stopPlatform();
    await shownLog('[following] the platform stopped');
    assert.equal(followed.statusOf(worker), 'reconnecting');
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
    followed.stop(worker);
    assert.deepEqual(shownSubjects(), []);
    assert.equal(followed.statusOf(worker), 'stopped');
    await shownLog('[following] stopped');
    show(worker);
    const lines = await shownLog('[following] stopped', '[following] reconnected');
    assert.equal(lines.filter((line) => line === '[following] connected').length, 1);
    assert.equal(lines.filter((line) => line === 'second 1 of 1').length, 1);
  });

  it('shows the workers of an endpoint in one channel, with a tag for each', async () => {
    show(endpoint);
    const lines = await shownLog('greeting one', ' │ [system] worker is ready');
    assert.ok(
      lines.some((line) => /^\w+ │ second 1 of 1$/.test(line)),
      lines.join('\n'),
    );
  });

  it('shows the lines again in other options', async () => {
    const settings = vscode.workspace.getConfiguration('cloudCompute.logs');
    await settings.update('source', 'system', vscode.ConfigurationTarget.Global);
    try {
      const document = await waitFor(writes, () =>
        vscode.workspace.textDocuments.find(
          (one) =>
            channels.subjectOf(one) && one.getText().includes('worker is ready') && !one.getText().includes('second 1'),
        ),
      );
      assert.ok(document);
    } finally {
      await settings.update('source', undefined, vscode.ConfigurationTarget.Global);
    }
    await shownLog('second 1 of 1');
  });

  it('shows the reason when the service rejects the request', async () => {
    const stranger = { ...worker, workerIds: ['nobody'] };
    show(stranger);
    // In the channel of an endpoint, the line of a worker that has ended begins with the ID of the worker.
    const lines = await shownLog(/^\S+ \[following\] ended/m);
    const [reason = ''] = lines.filter((line) => line.startsWith('[following] ended'));
    assert.match(reason, /^\[following\] ended: .*\. The worker no longer exists\. Its log is above\.$/);
    assert.equal(followed.statusOf(stranger), 'ended');
  });

  it('is removed with its connection', async () => {
    await connections.forget();
    assert.deepEqual(followed.all, []);
  });
});
