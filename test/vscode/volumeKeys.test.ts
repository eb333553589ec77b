import assert from 'node:assert/strict';
import { mkdtemp, rm, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import * as vscode from 'vscode';
import { ConnectionStore } from '../../src/account/connections/connectionStore.ts';
import { platformProcess, type StartedPlatform } from '../../src/account/localPlatform/platformProcess.ts';
import { useLocalPlatform } from '../../src/account/localPlatform/useLocalPlatform.ts';
import { createClient, type Client } from '../../src/client/client.ts';
import { createControlClient } from '../../src/client/controlClient.ts';
import { SharedSecrets } from '../account/connections/support.ts';
import { forgetAllConnections, inputs } from './inputs.ts';
import { activated, extension, stubbed } from './support.ts';

const { executeCommand } = vscode.commands;
const { fs } = vscode.workspace;
const TITLE = 'Key for the Files of Volumes';

/** Uses a platform that the extension did not start in place of a hosted one, because both have the same API. */
describe('The keys for the files of network volumes', function () {
  let platform: StartedPlatform;
  let client: Client;
  let dataDir = '';
  let volumeId = '';

  before(async () => {
    await activated();
    dataDir = await mkdtemp(path.join(tmpdir(), 'cloud-compute-volume-keys-'));
    const script = path.join(extension().extensionPath, 'dist', 'platform.js');
    const log = vscode.window.createOutputChannel('Test of volumes', { log: true });
    platform = await platformProcess({ script, dataDir: () => path.join(dataDir, 'data'), port: () => 0, log })();
    client = createClient({ connection: platform.announcement, fetch: globalThis.fetch });
    volumeId = (await client.createNetworkVolume({ body: { name: 'models', size: 10, dataCenter: 'EU-RO-1' } })).id;
    const { page, done } = inputs();
    const connecting = executeCommand('cloudCompute.connect');
    await (await page('Connect to a Platform', 1)).type(platform.announcement.baseUrl);
    await (await page('Connect to a Platform', 2)).accept();
    await (await page('Connect to a Platform', 3)).type(platform.announcement.apiKey);
    await connecting;
    done();
  });

  after(async () => {
    await forgetAllConnections();
    await executeCommand('notifications.clearAll');
    await platform.stop();
    await rm(dataDir, { recursive: true, force: true, maxRetries: 3 });
  });

  const row = (id = volumeId) => ({ kind: 'resource', group: 'networkVolumes', id });

  /** Runs *Open Files*, and returns the folders that it adds. A second folder of the workspace would restart the extension host. */
  async function openFiles(id = volumeId, answer?: (page: ReturnType<typeof inputs>['page']) => Promise<void>) {
    const added: { readonly uri: vscode.Uri; readonly name?: string }[] = [];
    const original = vscode.workspace.updateWorkspaceFolders;
    const workspace = vscode.workspace as { updateWorkspaceFolders: unknown };
    workspace.updateWorkspaceFolders = (_start: number, _count: number, ...folders: typeof added) =>
      added.push(...folders) > 0;
    const { page, done } = inputs();
    try {
      const command = executeCommand('cloudCompute.volumes.openFiles', row(id));
      await answer?.(page);
      await command;
    } finally {
      done();
      workspace.updateWorkspaceFolders = original;
    }
    return added;
  }

  /** Returns the messages of errors that an action shows, with their buttons. */
  async function errorsOf(action: () => Thenable<unknown>): Promise<string[]> {
    const shown: string[] = [];
    const showErrorMessage = (message: string, ...buttons: string[]) => {
      shown.push([message, ...buttons].join(' | '));
      return Promise.resolve(undefined);
    };
    await stubbed({ showErrorMessage }, action);
    return shown;
  }

  let root: vscode.Uri;

  it('are asked for by Open Files, checked, and not asked for again', async () => {
    const { s3Url, s3AccessKeyId, s3SecretAccessKey } = platform.announcement;
    const [folder] = await openFiles(volumeId, async (page) => {
      const address = await page(TITLE, 1);
      await address.type('http://files.example.com');
      assert.match(await address.refusal(), /unencrypted/);
      await address.type(s3Url);
      await (await page(TITLE, 2)).type(s3AccessKeyId);
      const secret = await page(TITLE, 3);
      assert.equal(secret.isPassword(), true);
      await secret.type('wrong');
      assert.match(await secret.refusal(), /did not accept the key/);
      await secret.type(s3SecretAccessKey);
    });
    assert.ok(folder);
    assert.equal(folder.name, 'models');
    root = folder.uri;
    await fs.writeFile(vscode.Uri.joinPath(root, 'note.txt'), Buffer.from('text'));
    assert.deepEqual(await fs.readDirectory(root), [['note.txt', vscode.FileType.File]]);
    assert.equal((await openFiles()).length, 1);
  });

  it('leave a volume alone that is full, and offer to grow it', async () => {
    const { id } = await client.createNetworkVolume({ body: { name: 'full', size: 10, dataCenter: 'EU-RO-1' } });
    const [folder] = await openFiles(id);
    assert.ok(folder);
    const large = path.join(dataDir, 'data', 'volumes', id, 'large');
    await writeFile(large, '');
    await truncate(large, 10_000_000_000);
    const local = path.join(dataDir, 'new.txt');
    await writeFile(local, 'new');
    const [error] = await errorsOf(() =>
      executeCommand('cloudCompute.volumes.upload', row(id), [vscode.Uri.file(local)]),
    );
    assert.match(error ?? '', /the network volume is full.*\| Grow…/);
    await assert.rejects(
      async () => fs.writeFile(vscode.Uri.joinPath(folder.uri, 'new.txt'), Buffer.from('new')),
      /The network volume is full\. Grow it/,
    );
  });

  it('that can only read show the files that they cannot write as read-only', async () => {
    const control = createControlClient({ connection: platform.announcement, fetch: globalThis.fetch });
    const { id, s3SecretAccessKey } = await control.createApiKey({
      body: { name: 'reader', permissions: ['network-volumes:read'] },
    });
    await useKey(id, s3SecretAccessKey);
    const note = vscode.Uri.joinPath(root, 'note.txt');
    assert.equal(Buffer.from(await fs.readFile(note)).toString(), 'text');
    assert.equal((await fs.stat(note)).permissions, undefined);
    await assert.rejects(async () => fs.writeFile(note, Buffer.from('mine')), vscode.FileSystemError);
    assert.equal((await fs.stat(note)).permissions, vscode.FilePermission.Readonly);
    await control.revokeApiKey({ id });
  });

  it('that are no longer accepted can be replaced', async () => {
    const note = vscode.Uri.joinPath(root, 'note.txt');
    await assert.rejects(async () => fs.readFile(note), /did not accept the key for files/);
    const local = path.join(dataDir, 'new.txt');
    await writeFile(local, 'new');
    const [error] = await errorsOf(() => executeCommand('cloudCompute.volumes.upload', root, [vscode.Uri.file(local)]));
    assert.match(error ?? '', /did not accept the key for files.*\| Replace Key…/);
    const { s3AccessKeyId, s3SecretAccessKey } = platform.announcement;
    await useKey(s3AccessKeyId, s3SecretAccessKey);
    assert.equal((await fs.stat(note)).permissions, undefined);
    await fs.writeFile(note, Buffer.from('again'));
  });

  /** Replaces the key. */
  async function useKey(id: string, secret: string): Promise<void> {
    const first = inputs();
    const managing = executeCommand('cloudCompute.connections.manage');
    const list = await first.page('Manage Connection');
    const [connection = ''] = list.labels();
    await list.choose(connection);
    const title = `Manage Connection: ${connection.replace(/^\$\(\w+\) /, '')}`;
    await (await first.page(title)).choose('$(files) Forget Key for Files');
    await managing;
    first.done();
    await openFiles(volumeId, async (page) => {
      await (await page(TITLE, 1)).accept();
      await (await page(TITLE, 2)).type(id);
      await (await page(TITLE, 3)).type(secret);
    });
  }

  it('do not matter for the deletion of a volume, which is refused while an endpoint mounts it', async () => {
    await client.createEndpoint({
      body: {
        name: 'trainer',
        type: 'QUEUE',
        image: 'process:/no-such-directory',
        cmd: ['none'],
        scaling: { type: 'QUEUE_DELAY', queueDelay: 4 },
        cpu: [{ id: 'cpu3c', vcpuCount: 2 }],
        disk: 5,
        workers: { min: 0, max: 1 },
        mounts: { network: [{ volumeId, path: '/data' }] },
      },
    });
    const [error] = await errorsOf(() => executeCommand('cloudCompute.volumes.delete', row()));
    assert.match(error ?? '', /the endpoint trainer mounts it/);
    assert.equal((await client.getNetworkVolume({ id: volumeId })).name, 'models');
  });

  it('are stored only in secret storage, and those of the local platform nowhere', async () => {
    const secrets = new SharedSecrets();
    const connections = new ConnectionStore(secrets.window());
    const { announcement } = platform;
    const { s3AccessKeyId, s3SecretAccessKey, apiKey, s3Url, ...addresses } = announcement;
    await useLocalPlatform({ connections }, announcement);
    assert.equal(connections.profile?.s3SecretAccessKey, s3SecretAccessKey);
    const stored = () => [...secrets.texts.values()].join('\n');
    assert.ok(!stored().includes(s3SecretAccessKey) && !stored().includes(apiKey));
    connections.suspendLocal();
    assert.equal(connections.find('local')?.s3SecretAccessKey, undefined);
    const added = await connections.use({ kind: 'hosted', name: 'Hosted', ...addresses, apiKey });
    await connections.setS3Access(added?.id ?? '', { s3Url, s3AccessKeyId, s3SecretAccessKey });
    assert.ok(stored().includes(s3SecretAccessKey));
    await connections.signOut(added?.id ?? '');
    assert.ok(!stored().includes(s3SecretAccessKey) && stored().includes(s3Url));
    connections.dispose();
  });
});
