import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import * as vscode from 'vscode';
import { platformProcess, type StartedPlatform } from '../../src/account/localPlatform/platformProcess.ts';
import { forgetAllConnections, inputs, type Page } from './inputs.ts';
import { activated, extension, waitFor, workspaceFolder } from './support.ts';

const DEPLOY_ALL = 'cloudCompute.manifest.deployAll';
const documentsOpened = [vscode.workspace.onDidOpenTextDocument] as unknown as vscode.Event<never>[];
const diagnosed = [vscode.languages.onDidChangeDiagnostics] as unknown as vscode.Event<never>[];
const stamp = Date.now();

const manifest = (name: string, more = '') => `name: ${name}-${stamp}
type: QUEUE
scaling: { type: QUEUE_DELAY, queueDelay: 1 }
cpu: [{ id: cpu3c, vcpuCount: 2 }]
workers: { min: 0, max: 0 }
x-local: { directory: ., command: node worker.mjs }
${more}`;

/** Records the notifications, and answers each with the next button, if any. */
function notifications(...answers: (string | undefined)[]) {
  const { showInformationMessage, showErrorMessage } = vscode.window;
  const window = vscode.window as { -readonly [Key in keyof typeof vscode.window]: (typeof vscode.window)[Key] };
  const told = new vscode.EventEmitter<string>();
  const texts: string[] = [];
  const show = (message: string, ...buttons: unknown[]) => {
    texts.push([message, ...buttons].join(' | '));
    const answer = answers.shift();
    told.fire(message);
    return Promise.resolve(answer as never);
  };
  window.showInformationMessage = show;
  window.showErrorMessage = show;
  return {
    texts,
    /** Resolves with the notifications once there are so many. */
    number: (count: number) =>
      waitFor([told.event as unknown as vscode.Event<never>], () => texts.length >= count && texts),
    done: () => {
      window.showInformationMessage = showInformationMessage;
      window.showErrorMessage = showErrorMessage;
      told.dispose();
    },
  };
}

describe('Deploy All', function () {
  let folder: vscode.Uri;

  before(async () => {
    await activated();
    await vscode.commands.executeCommand('cloudCompute.localPlatform.start');
    folder = vscode.Uri.joinPath(workspaceFolder(), `fleet-${stamp}`);
    await vscode.workspace.fs.createDirectory(folder);
  });

  after(async () => {
    await vscode.commands.executeCommand('workbench.action.revertAndCloseActiveEditor');
    await vscode.commands.executeCommand('workbench.action.closeAllEditors');
    await vscode.workspace.fs.delete(folder, { recursive: true });
    await vscode.commands.executeCommand('notifications.clearAll');
    await vscode.commands.executeCommand('cloudCompute.localPlatform.stop');
  });

  const uriOf = (name: string) => vscode.Uri.joinPath(folder, `${name}.endpoint.yaml`);
  const label = (icon: string, name: string) => `$(${icon}) ${name}-${stamp}`;

  async function write(name: string, text: string): Promise<void> {
    await vscode.workspace.fs.writeFile(uriOf(name), new TextEncoder().encode(text));
  }

  /** Deploys the folder. Returns the notifications, with the buttons of each. */
  async function deploy(act: (plan: Page) => Promise<void>, confirm?: string): Promise<readonly string[]> {
    const { page, done, asked } = inputs(confirm === undefined ? {} : { confirm });
    const { texts, done: stop } = notifications();
    const command = vscode.commands.executeCommand(DEPLOY_ALL, folder);
    await act(await page('Deploy All to “Local Platform”'));
    await command;
    done();
    stop();
    return [...texts, ...asked];
  }

  it('offers to create a manifest in a folder without one', async () => {
    const { texts, done } = notifications();
    await vscode.commands.executeCommand(DEPLOY_ALL, folder);
    done();
    assert.deepEqual(texts, [`fleet-${stamp} has no manifests (*.endpoint.yaml). | New Endpoint File…`]);
  });

  it('shows the plan with all creations selected, creates the endpoints, and then has nothing to deploy', async () => {
    for (const name of ['a', 'b', 'c']) await write(name, `\ufeff${manifest(name)}`);
    const told = await deploy(async (plan) => {
      assert.deepEqual(plan.labels().slice(0, 4), ['Create', ...['a', 'b', 'c'].map((name) => label('add', name))]);
      assert.deepEqual(
        plan.checked(),
        ['a', 'b', 'c'].map((name) => label('add', name)),
      );
      await plan.accept();
    });
    assert.deepEqual(told, ['Deployment to “Local Platform”: 3 created. | Show Details']);

    const { texts, done } = notifications();
    await vscode.commands.executeCommand(DEPLOY_ALL, folder);
    done();
    assert.match(texts.join(), /^Nothing to deploy: 3 unchanged(, \d+ not in files)? on “Local Platform”\./);
  });

  it('deploys unsaved changes, and shows the problems of the other files', async () => {
    const document = await vscode.workspace.openTextDocument(uriOf('a'));
    const edit = new vscode.WorkspaceEdit();
    edit.insert(document.uri, new vscode.Position(document.lineCount, 0), 'timeout: 60000\n');
    await vscode.workspace.applyEdit(edit);
    assert.equal(document.isDirty, true);
    await write('broken', manifest('broken').replace('type: QUEUE\n', 'type: HEAP\n'));
    await vscode.workspace.fs.createDirectory(uriOf('folder'));
    await write('twin', manifest('b'));
    const told = await deploy(async (plan) => {
      assert.deepEqual(plan.checked(), [label('edit', 'a')]);
      assert.ok(plan.details().includes('timeout: 300000 → 60000'));
      for (const name of [label('error', 'broken'), label('error', 'b'), '$(error) folder.endpoint.yaml'])
        assert.ok(plan.labels().includes(name), name);
      await plan.accept();
    });
    assert.deepEqual(told, ['Deployment to “Local Platform”: 1 updated, 1 unchanged, 4 with problems. ']);
    assert.deepEqual(await deploy((plan) => plan.check(label('error', 'broken'))), []);
    await vscode.workspace.fs.delete(uriOf('folder'));
    for (const name of ['broken', 'twin']) await vscode.workspace.fs.delete(uriOf(name));
    await document.save();
  });

  it('marks each field that the platform rejects, and shows the details in a read-only document', async () => {
    await write('d', `${manifest('d', 'registry: unknown\n')}---\n${manifest('d2', 'registry: unknown\n')}`);
    const { page, done } = inputs();
    const first = notifications('Show Details');
    const command = vscode.commands.executeCommand(DEPLOY_ALL, folder);
    await (await page('Deploy All to “Local Platform”')).accept();
    await command;
    first.done();
    done();
    assert.deepEqual(first.texts, [
      'Deployment to “Local Platform”: 3 unchanged, 2 failed. | Show Details | Retry Failed',
    ]);
    const [problem] = await waitFor(diagnosed, () => {
      const found = vscode.languages.getDiagnostics(uriOf('d'));
      return found.length === 2 && found;
    });
    assert.match(problem?.message ?? '', /registry/);
    const report = await waitFor(documentsOpened, () =>
      vscode.workspace.textDocuments.find(({ uri }) => uri.scheme === 'cloud-compute-deployment'),
    );
    assert.match(report.getText(), /^# Deployment to Local Platform/);
    assert.match(report.getText(), /\| failed \|.*Could not create the endpoint.*Retry Failed/);
    const { permissions } = await vscode.workspace.fs.stat(report.uri);
    assert.equal(permissions, vscode.FilePermission.Readonly);
    await vscode.workspace.fs.delete(uriOf('d'));
  });

  it('retries failed endpoints after a correction', async () => {
    // The editor looks up the references of open files only, so the platform rejects this one.
    await write('g', `${manifest('g', 'registry: absent\n')}---\n${manifest('g2', 'registry: absent\n')}`);
    const { page, done } = inputs();
    const retried = notifications(undefined);
    const answers = Promise.withResolvers<never>();
    const { showErrorMessage } = vscode.window;
    const window = vscode.window as { showErrorMessage: unknown };
    window.showErrorMessage = () => answers.promise;
    const command = vscode.commands.executeCommand(DEPLOY_ALL, folder);
    await (await page('Deploy All to “Local Platform”')).accept();
    await command;
    const document = await vscode.workspace.openTextDocument(uriOf('g'));
    const edit = new vscode.WorkspaceEdit();
    edit.replace(document.uri, new vscode.Range(0, 0, document.lineCount, 0), `${manifest('g')}---\n${manifest('g2')}`);
    await vscode.workspace.applyEdit(edit);
    answers.resolve('Retry Failed' as never);
    const texts = await retried.number(1);
    retried.done();
    window.showErrorMessage = showErrorMessage;
    done();
    assert.deepEqual(texts, ['Deployment to “Local Platform”: 2 created. | Show Details']);
    await document.save();
  });

  describe('with a verification', () => {
    const verified = (name: string, expected: string) =>
      manifest(
        name,
        `x-verify:\n  input: { name: Ada, seconds: 0 }\n  expect: { output: { greeting: "${expected}" } }\n`,
      )
        .replace('min: 0, max: 0', 'min: 0, max: 1')
        .replace('directory: .,', `directory: ${vscode.Uri.joinPath(workspaceFolder(), 'hello').fsPath},`)
        .replace('worker.mjs', 'handler.mjs');
    let own: vscode.Uri;

    beforeEach(async () => {
      own = vscode.Uri.joinPath(folder, 'verified');
      await vscode.workspace.fs.createDirectory(own);
    });
    afterEach(() => vscode.workspace.fs.delete(own, { recursive: true }));

    async function deployOwn(name: string, expected: string, choose: (plan: Page) => Promise<void>, answer?: string) {
      const uri = vscode.Uri.joinPath(own, `${name}.endpoint.yaml`);
      await vscode.workspace.fs.writeFile(uri, new TextEncoder().encode(verified(name, expected)));
      const { page, done } = inputs();
      const { texts, done: stop } = notifications(answer);
      const command = vscode.commands.executeCommand(DEPLOY_ALL, own);
      const plan = await page('Deploy All to “Local Platform”');
      await choose(plan);
      await command;
      done();
      stop();
      return texts;
    }

    it('says that an endpoint is deployed once its job has met its expectations', async () => {
      const texts = await deployOwn('v1', 'Hello, Ada!', async (plan) => {
        assert.match(plan.descriptions().join('\n'), /runs a job/);
        assert.ok(!plan.checked().includes('$(discard) Roll back on failure'));
        await plan.accept();
      });
      assert.deepEqual(texts, ['Deployment to “Local Platform”: 1 created. | Show Details']);
    });

    it('shows once what differs, and offers an explanation and the way back', async () => {
      const told = await deployOwn('v2', 'Goodbye', (plan) => plan.accept());
      assert.equal(told.length, 1);
      assert.match(
        told[0] ?? '',
        new RegExp(
          `^Deployment to “Local Platform”: 1 not working\\. “v2-${stamp}”: The job of x-verify did not meet its expectations\\. ` +
            '\\$\\.output\\.greeting: expected "Goodbye", but it is "Hello, Ada!"\\. ' +
            '\\| Show Details \\| Explain This Endpoint \\| Roll Back…$',
        ),
      );
    });

    it('takes the step back if the user chose that', async () => {
      const told = await deployOwn('v3', 'Goodbye', (plan) =>
        plan.check(label('add', 'v3'), '$(discard) Roll back on failure'),
      );
      assert.match(
        told.join(),
        /^Deployment to “Local Platform”: 1 rolled back\..*The endpoint was deleted again\. \| Show Details$/,
      );
    });
  });

  it('deletes an endpoint that is not in files only if it is selected and confirmed', async () => {
    await vscode.workspace.fs.delete(uriOf('c'));
    await write('e', manifest('e'));
    const trash = label('trash', 'c');
    const kept = await deploy(async (plan) => {
      assert.ok(plan.labels().includes(trash));
      assert.ok(!plan.checked().includes(trash));
      await plan.accept();
    });
    assert.deepEqual(kept, ['Deployment to “Local Platform”: 1 created, 4 unchanged. | Show Details']);

    await write('f', manifest('f'));
    const declined = await deploy((plan) => plan.check(trash, label('add', 'f')));
    assert.equal(declined.length, 1);
    assert.match(declined[0] ?? '', new RegExp(`^Delete endpoint “c-${stamp}”\\? `));

    const deleted = await deploy((plan) => plan.check(trash, label('add', 'f')), 'Delete');
    assert.equal(deleted[0], 'Deployment to “Local Platform”: 1 created, 1 deleted, 5 unchanged. | Show Details');
  });
});

/** Uses a platform that the extension did not start in place of a hosted one, because both have the same API. */
describe('Deploy All on a hosted platform', function () {
  let platform: StartedPlatform;
  let dataDir: string;
  let folder: vscode.Uri;
  let name: string;

  before(async () => {
    await activated();
    dataDir = await mkdtemp(path.join(tmpdir(), 'cloud-compute-deployment-'));
    const script = path.join(extension().extensionPath, 'dist', 'platform.js');
    const log = vscode.window.createOutputChannel('Test of deployments', { log: true });
    platform = await platformProcess({ script, dataDir: () => dataDir, port: () => 0, log })();
    const { baseUrl, apiKey } = platform.announcement;
    name = new URL(baseUrl).host;
    const { page, done } = inputs();
    const command = vscode.commands.executeCommand('cloudCompute.connect');
    await (await page('Connect to a Platform', 1)).type(baseUrl);
    await (await page('Connect to a Platform', 2)).accept();
    await (await page('Connect to a Platform', 3)).type(apiKey);
    await command;
    done();
    folder = vscode.Uri.joinPath(workspaceFolder(), `hosted-${stamp}`);
    const text = manifest('paid').replace(/x-local: .*/, 'image: registry.example.com/worker:1');
    await vscode.workspace.fs.writeFile(
      vscode.Uri.joinPath(folder, 'paid.endpoint.yaml'),
      new TextEncoder().encode(text),
    );
  });

  after(async () => {
    await forgetAllConnections();
    await vscode.workspace.fs.delete(folder, { recursive: true });
    await vscode.commands.executeCommand('notifications.clearAll');
    await vscode.commands.executeCommand('cloudCompute.localPlatform.stop');
    await platform.stop();
    await rm(dataDir, { recursive: true, force: true, maxRetries: 3 });
  });

  it('names the connection in its confirmation, and sends nothing unless the user confirms', async () => {
    for (const confirm of [undefined, 'Deploy']) {
      const { page, done, asked } = inputs(confirm === undefined ? {} : { confirm });
      const { texts, done: stop } = notifications();
      const command = vscode.commands.executeCommand(DEPLOY_ALL, folder);
      await (await page(`Deploy All to “${name}”`)).accept();
      await command;
      done();
      stop();
      assert.match(
        asked.join(),
        new RegExp(`^Deploy 1 endpoint to “${name}”\\? • create “paid-${stamp}”\n\n.*(?:cost up to|are billed)`),
      );
      const summary = `Deployment to “${name}”: 1 created. | Show Details`;
      assert.deepEqual(texts, confirm === undefined ? [] : [summary]);
    }
  });

  it('sends nothing if the connection changes while the plan is open', async () => {
    const { page, done, asked } = inputs({ confirm: 'Deploy' });
    const { texts, done: stop } = notifications();
    const uri = vscode.Uri.joinPath(folder, 'more.endpoint.yaml');
    const text = manifest('more').replace(/x-local: .*/, 'image: registry.example.com/worker:1');
    await vscode.workspace.fs.writeFile(uri, new TextEncoder().encode(text));
    const command = vscode.commands.executeCommand(DEPLOY_ALL, folder);
    const plan = await page(`Deploy All to “${name}”`);
    await vscode.commands.executeCommand('cloudCompute.localPlatform.start');
    await plan.accept();
    await command;
    done();
    stop();
    assert.deepEqual(asked, []);
    assert.deepEqual(texts, [
      'Could not deploy the manifests: the connection changed before the endpoints were deployed | Try Again',
    ]);
  });
});
