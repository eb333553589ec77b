import { cp, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:net';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { repository } from '../../scripts/editor/build.ts';
import { chooseQuickPick, createEndpoint, openFile, clickAction, row, startLocalPlatform } from './actions.ts';
import { openEditor, screenshotOnFailure, temporaryFolder, type Editor } from './harness.ts';

const SAMPLE = path.join(repository, 'samples', 'hello-queue');

describe('invalid input', function () {
  const folders: Awaited<ReturnType<typeof temporaryFolder>>[] = [];
  let workspaceFolder: string;
  let taken: Server;
  let port: number;
  let editor: Editor;
  screenshotOnFailure(() => editor);

  before(async () => {
    taken = createServer();
    await new Promise<void>((resolve) => taken.listen(0, '127.0.0.1', resolve));
    port = (taken.address() as AddressInfo).port;
    for (let count = 0; count < 2; count++) folders.push(await temporaryFolder());
    const [workspace = '', userDataDir = ''] = folders.map((folder) => folder.path);
    workspaceFolder = workspace;
    await cp(SAMPLE, workspaceFolder, { recursive: true });
    await variant('missing', 'no-such-command --serve');
    await variant('dying', `node -e "console.error('the model is not there'); process.exit(3)"`);
    await writeFile(path.join(workspaceFolder, 'broken.endpoint.yaml'), 'name: [unclosed\ntype: QUEUE\n');
    await writeFile(path.join(workspaceFolder, 'broken.job.json'), '{ "input": { "name": world } }\n');
    // A remote editor reads its machine settings from this folder.
    const machine = path.join(userDataDir, 'Machine');
    await mkdir(machine, { recursive: true });
    await writeFile(path.join(machine, 'settings.json'), JSON.stringify({ 'cloudCompute.localPlatform.port': port }));
    editor = await openEditor({ workspaceFolder, userDataDir, theme: 'Default Light Modern' });
  });

  after(async () => {
    taken.close();
    await editor.close();
    await Promise.all(folders.map((folder) => folder.remove()));
  });

  /** Writes a copy of the sample's manifest with another name and command. */
  async function variant(name: string, command: string): Promise<void> {
    const text = await readFile(path.join(SAMPLE, 'hello.endpoint.yaml'), 'utf8');
    const changed = text.replace('name: hello', `name: ${name}`).replace('node handler.mjs', () => command);
    await writeFile(path.join(workspaceFolder, `${name}.endpoint.yaml`), changed);
  }

  async function clearNotifications(): Promise<void> {
    await editor.runCommand('Notifications: Clear All Notifications');
  }

  it('reports a port that is in use, and offers to start again', async () => {
    await startLocalPlatform(editor);
    await editor.notification(`port ${port} is taken by another program`).waitFor();
    await editor.notification('change the port in the settings').waitFor();
    await editor.screenshot('bad-port-taken');
    await clearNotifications();
    await new Promise((resolve) => taken.close(resolve));
  });

  it('reports a data directory that cannot be created', async () => {
    const dataDir = path.join(editor.globalStorage, 'platform');
    await rm(dataDir, { recursive: true, force: true });
    await mkdir(editor.globalStorage, { recursive: true });
    await writeFile(dataDir, 'a file where the directory should be');
    await startLocalPlatform(editor);
    await editor.notification(/data directory .*platform/).waitFor();
    await editor.screenshot('bad-data-directory');
    await clearNotifications();
    await rm(dataDir);
    await startLocalPlatform(editor);
    await editor.page.getByText('There are no endpoints yet').waitFor();
  });

  /** Waits for the failure, and shows the logs. A worker can fail before the creation watches it, or while it does. */
  const reportedFailure = async (name: string): Promise<void> => {
    await editor
      .notification(new RegExp(`A worker of “${name}” cannot run|“${name}” created: no worker can run`))
      .first()
      .waitFor();
    await editor.page.locator('.codelens-decoration a', { hasText: 'Show Logs' }).click();
  };

  it('marks a YAML syntax error in a manifest', async () => {
    await openFile(editor, 'broken.endpoint.yaml');
    await editor.page.locator('.squiggly-error').first().waitFor();
    await editor.runCommand('Cloud Compute: Create Endpoint');
    await editor.notification(/broken\.endpoint\.yaml, line \d/).waitFor();
    await editor.screenshot('bad-manifest');
    await clearNotifications();
  });

  it('reports that the command of a worker was not found', async () => {
    await openFile(editor, 'missing.endpoint.yaml');
    await createEndpoint(editor);
    await reportedFailure('missing');
    await editor.page.getByText('command not found: no-such-command').first().waitFor();
    await row(editor, /missing.*unhealthy/).waitFor();
    await editor.screenshot('bad-command');
    await clearNotifications();
  });

  it('reports the exit code and last output of a worker that failed to start', async () => {
    await openFile(editor, 'dying.endpoint.yaml');
    await createEndpoint(editor);
    await reportedFailure('dying');
    await editor.page.getByText('exited with code 3').first().waitFor();
    await editor.page.getByText('the model is not there').first().waitFor();
    await editor.screenshot('bad-worker');
    await clearNotifications();
  });

  it('reports the file and position of a JSON syntax error in a job file', async () => {
    await clickAction(row(editor, /missing.*unhealthy/), 'Run Job…');
    await chooseQuickPick(editor, 'broken.job.json');
    await editor.notification(/broken\.job\.json/).waitFor();
    await editor.screenshot('bad-job');
  });
});
