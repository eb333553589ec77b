import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import * as vscode from 'vscode';
import { inputs } from './inputs.ts';
import { activated, waitFor, workspaceFolder } from './support.ts';

const { executeCommand } = vscode.commands;
const { fs } = vscode.workspace;

/* test/cli/new and test/engines/newWorker.test.ts run the workers. */

describe('New Worker', () => {
  let folder: vscode.Uri;
  let messages: string[];
  /** Label of the button that the user selects. */
  let button: string | undefined;
  const window = vscode.window as { -readonly [Key in keyof typeof vscode.window]: (typeof vscode.window)[Key] };
  const { showInformationMessage } = vscode.window;

  before(activated);

  beforeEach(async () => {
    folder = vscode.Uri.joinPath(workspaceFolder(), 'new workers');
    await fs.createDirectory(folder);
    messages = [];
    button = undefined;
    window.showInformationMessage = (message: string, ...buttons: unknown[]) => {
      messages.push(message);
      return Promise.resolve(buttons.find((one) => one === button) as never);
    };
  });

  afterEach(async () => {
    window.showInformationMessage = showInformationMessage;
    await executeCommand('workbench.action.closeAllEditors');
    await fs.delete(folder, { recursive: true });
    await executeCommand('notifications.clearAll');
  });

  const write = (path: string, text: string) =>
    fs.writeFile(vscode.Uri.joinPath(folder, path), new TextEncoder().encode(text));
  const namesIn = async (path: string) =>
    (await fs.readDirectory(vscode.Uri.joinPath(folder, path))).map(([name]) => name).sort();

  type Pages = ReturnType<typeof inputs>['page'];

  /** Runs a command, and passes its steps to `answer`. */
  async function answering(args: readonly [string, ...unknown[]], answer: (page: Pages) => Promise<void>) {
    const { page, done } = inputs();
    const command = executeCommand(...args);
    try {
      await answer(page);
      await command;
    } finally {
      done();
    }
  }

  const wizard = (answer: (page: Pages) => Promise<void>) =>
    answering(['cloudCompute.manifest.newWorker', folder], answer);

  it('writes the files of a kind to a new folder, opens the source, and offers to run it', async () => {
    await wizard(async (page) => {
      await (await page('New Worker', 1)).choose('$(globe) Node.js, Load-Balanced');
      const name = await page('New Worker', 2);
      assert.equal(name.value(), 'hello');
      await name.type('greeter');
    });
    assert.deepEqual(await namesIn('greeter'), ['greeter.endpoint.yaml', 'greeter.http', 'worker']);
    assert.deepEqual(await namesIn('greeter/worker'), ['.dockerignore', 'Dockerfile', 'package.json', 'server.mjs']);
    const active = vscode.window.activeTextEditor?.document;
    assert.ok(active);
    assert.match(active.uri.path, /greeter\/worker\/server\.mjs$/);
    assert.deepEqual(messages, ['Worker “greeter” created.']);
    const source = await readFile(active.uri.fsPath, 'utf8');
    assert.equal(active.getText(), source);
    const manifest = vscode.Uri.joinPath(folder, 'greeter', 'greeter.endpoint.yaml');
    await vscode.window.showTextDocument(manifest);
    await executeCommand('vscode.executeCodeLensProvider', manifest);
    assert.deepEqual(vscode.languages.getDiagnostics(manifest), []);
  });

  it('creates the endpoint and runs its job if the user selects Run', async () => {
    button = 'Run';
    await wizard(async (page) => {
      await (await page('New Worker', 1)).choose('$(list-ordered) Node.js, Queue');
      await (await page('New Worker', 2)).type('runner');
    });
    const shown = vscode.window.onDidChangeVisibleTextEditors as vscode.Event<never>;
    const changed = vscode.workspace.onDidChangeTextDocument as vscode.Event<never>;
    await waitFor([shown, changed], () =>
      vscode.window.visibleTextEditors.find(
        ({ document }) =>
          document.uri.scheme === 'cloud-compute-job' && document.getText().includes('"greeting": "Hello, world!"'),
      ),
    );
    await executeCommand('workbench.action.closeAllEditors');
    await executeCommand('cloudCompute.localPlatform.stop');
  });

  it('rejects the name of an existing folder, and writes nothing if the user leaves', async () => {
    await fs.createDirectory(vscode.Uri.joinPath(folder, 'hello'));
    await wizard(async (page) => {
      await (await page('New Worker', 1)).choose('$(list-ordered) Python, Queue');
      const name = await page('New Worker', 2);
      assert.equal(name.value(), 'hello-2');
      await name.type('hello');
      assert.match(await name.refusal(), /hello already exists/);
      await name.type('a/b');
      assert.match(await name.refusal(), /Use letters/);
      await name.back();
      await (await page('New Worker', 1)).leave();
    });
    assert.deepEqual(await namesIn('.'), ['hello']);
  });

  describe('from a Python function', () => {
    const TEXT =
      'import os\n\n\ndef predict(job):\n    return job["input"]["prompt"]\n\n\ndef classify(text):\n    return text\n';
    const uri = () => vscode.Uri.joinPath(folder, 'api', 'app.py');
    const lenses = async () =>
      (await executeCommand<vscode.CodeLens[]>('vscode.executeCodeLensProvider', uri())).map(
        ({ range, command }) => `${range.start.line}: ${command?.title}`,
      );
    const actionsAt = async (line: number) =>
      (
        await executeCommand<vscode.CodeAction[]>(
          'vscode.executeCodeActionProvider',
          uri(),
          new vscode.Range(line, 0, line, 0),
        )
      )
        .map(({ title }) => title)
        .filter((title) => title.includes('Endpoint'));

    beforeEach(async () => {
      await write('api/app.py', TEXT);
      await vscode.window.showTextDocument(uri());
    });

    it('is offered above handlers, and as a code action for others', async () => {
      assert.deepEqual(await lenses(), ['3: Make This an Endpoint…']);
      assert.deepEqual(await actionsAt(7), ['Make This Function an Endpoint…']);
      assert.deepEqual(await actionsAt(4), []);
    });

    it('writes files beside the code, and is then no longer offered above it', async () => {
      await write('api/Dockerfile', '# mine\n');
      await answering(['cloudCompute.manifest.makeEndpoint', uri(), 'predict'], async (page) => {
        const name = await page('Make This an Endpoint');
        assert.equal(name.value(), 'api');
        await name.type('mine');
      });
      assert.deepEqual(await namesIn('api'), [
        ...['.dockerignore', 'Dockerfile', 'app.py', 'mine.Dockerfile', 'mine.endpoint.yaml', 'mine.job.json'],
        ...['serverless.py', 'worker.py'],
      ]);
      assert.equal(await readFile(vscode.Uri.joinPath(folder, 'api', 'Dockerfile').fsPath, 'utf8'), '# mine\n');
      assert.ok(vscode.window.activeTextEditor?.document.uri.path.endsWith('mine.job.json'));
      assert.match(messages.join(''), /make predict an endpoint: mine\.endpoint\.yaml/);
      assert.deepEqual(await lenses(), []);
      assert.deepEqual(await actionsAt(7), ['Make This Function an Endpoint…']);
    });

    it('rejects a name whose files exist', async () => {
      await write('api/app.job.json', '{}');
      await answering(['cloudCompute.manifest.makeEndpoint', uri(), 'classify'], async (page) => {
        const name = await page('Make This an Endpoint');
        assert.equal(name.value(), 'classify');
        await name.type('app');
        assert.match(await name.refusal(), /app\.job\.json already exists/);
        await name.leave();
      });
      assert.deepEqual(await namesIn('api'), ['app.job.json', 'app.py']);
    });
  });
});
