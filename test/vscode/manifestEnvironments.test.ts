import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { ActiveEnvironment } from '../../src/features/manifest/environments/activeEnvironment.ts';
import { inputs, type Page } from './inputs.ts';
import { activated, waitFor, workspaceFolder } from './support.ts';

const DEPLOY_ALL = 'cloudCompute.manifest.deployAll';
const CREATE = 'cloudCompute.manifest.createEndpoint';
const diagnosed = [vscode.languages.onDidChangeDiagnostics] as unknown as vscode.Event<never>[];
const stamp = Date.now();
const name = `environments-${stamp}`;

const manifest = (environments: string) => `name: ${name}
type: QUEUE
scaling: { type: QUEUE_DELAY, queueDelay: 1 }
cpu: [{ id: cpu3c, vcpuCount: 2 }]
workers: { min: 0, max: 0 }
x-local: { directory: ., command: node worker.mjs }
x-environments:
${environments}`;

const STAGING = `  staging: { connection: local, patch: { name: ${name}-staging } }\n`;
const PRODUCTION = '  production: { connection: local }\n';

describe('The environments of manifests', function () {
  let folder: vscode.Uri;
  let file: vscode.Uri;

  before(async () => {
    await activated();
    await vscode.commands.executeCommand('cloudCompute.localPlatform.start');
    folder = vscode.Uri.joinPath(workspaceFolder(), name);
    file = vscode.Uri.joinPath(folder, 'hello.endpoint.yaml');
    await write(STAGING + PRODUCTION);
  });

  after(async () => {
    await vscode.commands.executeCommand('workbench.action.closeAllEditors');
    await vscode.workspace.fs.delete(folder, { recursive: true });
    await vscode.commands.executeCommand('notifications.clearAll');
    await vscode.commands.executeCommand('cloudCompute.localPlatform.stop');
  });

  async function write(environments: string): Promise<void> {
    await vscode.workspace.fs.writeFile(file, new TextEncoder().encode(manifest(environments)));
  }

  type Window = { -readonly [Key in keyof typeof vscode.window]: (typeof vscode.window)[Key] };

  /** Runs a command with the answers of a user. Returns the notifications. */
  async function during(command: string, act: (page: (title: string) => Promise<Page>) => Promise<void>) {
    const { page, done } = inputs();
    const { showInformationMessage, showErrorMessage } = vscode.window;
    const window = vscode.window as Window;
    const texts: string[] = [];
    window.showInformationMessage = window.showErrorMessage = (message: string) => {
      texts.push(message);
      return Promise.resolve(undefined as never);
    };
    try {
      const running = vscode.commands.executeCommand(command, command === CREATE ? file : folder);
      await act(page);
      await running;
      return texts;
    } finally {
      window.showInformationMessage = showInformationMessage;
      window.showErrorMessage = showErrorMessage;
      done();
    }
  }

  it('are offered before a deployment, which has the fields of the chosen one', async () => {
    const texts = await during(DEPLOY_ALL, async (page) => {
      const choice = await page('Choose Environment');
      assert.deepEqual(choice.labels(), ['$(server-environment) staging', '$(warning) production']);
      assert.deepEqual(choice.descriptions(), ['local', 'local']);
      await choice.choose('$(server-environment) staging');
      const plan = await page('Deploy All to staging on “Local Platform”');
      assert.deepEqual(plan.checked(), [`$(add) ${name}-staging`]);
      await plan.accept();
    });
    assert.deepEqual(texts, ['Deployment to “Local Platform”: 1 created.']);
  });

  it('ask for the name of production, and deploy nothing without it', async () => {
    const toName = async (page: (title: string) => Promise<Page>) => {
      const choice = await page('Choose Environment');
      await choice.choose('$(warning) production');
      const plan = await page('Deploy All to PRODUCTION on “Local Platform”');
      assert.ok(!plan.labels().includes(`$(trash) ${name}-staging`), 'another environment is not to be deleted');
      await plan.accept();
      return page('Deploy to PRODUCTION');
    };
    const none = await during(DEPLOY_ALL, async (page) => {
      const box = await toName(page);
      await box.type('yes');
      assert.match(await box.refusal(), /^Type production, or press Escape/);
      await box.leave();
    });
    assert.deepEqual(none, []);
    const texts = await during(DEPLOY_ALL, async (page) => (await toName(page)).type('production'));
    assert.deepEqual(texts, ['Deployment to “Local Platform”: 1 created.']);
    await during(DEPLOY_ALL, async (page) => {
      const choice = await page('Choose Environment');
      assert.deepEqual(choice.labels()[0], '$(warning) production', 'the last choice is the first one');
      await choice.leave();
    });
  });

  it('are asked for before a command of one manifest that does not have the one of the window', async () => {
    await write(`  eu: { connection: local, production: true, patch: { name: ${name}-eu } }\n`);
    const texts = await during(CREATE, async (page) => {
      const choice = await page('Choose Environment');
      assert.deepEqual(choice.descriptions(), ['production · local']);
      await choice.choose('$(warning) eu');
      await (await page('Deploy to PRODUCTION (eu)')).type('eu');
    });
    assert.equal(texts.length, 1);
    assert.match(texts[0] ?? '', new RegExp(`^Endpoint “${name}-eu” created`));
  });

  it('need a connection that exists', async () => {
    await write('  elsewhere: { connection: no-such-platform.example.com }\n');
    const texts = await during(DEPLOY_ALL, async (page) => {
      await (await page('Choose Environment')).choose('$(server-environment) elsewhere');
    });
    assert.equal(texts.length, 1);
    assert.match(
      texts[0] ?? '',
      /^Could not deploy the manifests: the environment elsewhere is for “no-such-platform\.example\.com”, and there is no such connection/,
    );
  });

  it('have their problems at the place in the patch', async () => {
    await write('  staging: { patch: { timeuot: 60000 } }\n');
    const document = await vscode.workspace.openTextDocument(file);
    const [problem] = await waitFor(diagnosed, () => {
      const found = vscode.languages.getDiagnostics(file).filter(({ message }) => message.startsWith('staging: '));
      return found.length === 1 && found;
    });
    assert.equal(problem?.message, "staging: Unknown property 'timeuot'; did you mean 'timeout'?");
    assert.equal(document.getText(problem.range), 'timeuot');
  });

  it('are in the status bar, production with the color of errors', async () => {
    const { createStatusBarItem } = vscode.window;
    const window = vscode.window as Window;
    const items: vscode.StatusBarItem[] = [];
    window.createStatusBarItem = ((...args: Parameters<typeof createStatusBarItem>) => {
      const item = createStatusBarItem(...args);
      items.push(item);
      return item;
    }) as typeof createStatusBarItem;
    const stored = new Map<string, unknown>();
    const active = new ActiveEnvironment({
      get: (key) => stored.get(key),
      update: (key, value) => Promise.resolve(void stored.set(key, value)),
    });
    window.createStatusBarItem = createStatusBarItem;
    try {
      const [item] = items;
      const look = () => [item?.text, (item?.backgroundColor as { readonly id?: string } | undefined)?.id];
      await active.set({ name: 'production', production: true });
      assert.deepEqual(look(), ['$(warning) PRODUCTION', 'statusBarItem.errorBackground']);
      await active.set({ name: 'eu', production: true });
      assert.deepEqual(look(), ['$(warning) PRODUCTION (eu)', 'statusBarItem.errorBackground']);
      await active.set({ name: 'staging', production: false });
      assert.deepEqual(look(), ['$(server-environment) staging', undefined]);
    } finally {
      active.dispose();
    }
  });
});
