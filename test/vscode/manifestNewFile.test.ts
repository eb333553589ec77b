import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { createFile } from '../../src/features/manifest/newFile/newFileWizard.ts';
import { UserError } from '../../src/kit/userError.ts';
import { inputs } from './inputs.ts';
import { activated, nonEmpty, waitFor, workspaceFolder } from './support.ts';

const { executeCommand } = vscode.commands;
const { fs } = vscode.workspace;

const COMMAND = 'cloudCompute.manifest.newFile';
const TITLE = 'New Endpoint File';
const wroteDiagnostics = vscode.languages.onDidChangeDiagnostics as vscode.Event<never>;

describe('New Endpoint File', () => {
  let folder: vscode.Uri;

  before(async () => {
    await activated();
    folder = vscode.Uri.joinPath(workspaceFolder(), 'new files');
  });

  beforeEach(() => fs.createDirectory(folder));

  afterEach(async () => {
    await executeCommand('workbench.action.revertAndCloseActiveEditor');
    await fs.delete(folder, { recursive: true });
  });

  after(() => executeCommand('notifications.clearAll'));

  const namesIn = async (uri: vscode.Uri) => (await fs.readDirectory(uri)).map(([name]) => name);
  const textOf = async (name: string) => new TextDecoder().decode(await fs.readFile(vscode.Uri.joinPath(folder, name)));

  /** Runs the command in the folder, and passes the steps of the wizard to `answer`. */
  async function wizard(answer: (page: ReturnType<typeof inputs>['page']) => Promise<void>, argument = folder) {
    const { page, done } = inputs();
    const command = executeCommand(COMMAND, argument);
    try {
      await answer(page);
      await command;
    } finally {
      done();
    }
  }

  it('creates an example in the folder and selects the name of the endpoint', async () => {
    await wizard(async (page) => {
      await (await page(TITLE, 1)).choose('$(book) Example');
      await (await page(TITLE, 2)).choose('$(list-ordered) Queue-based endpoint with CPUs');
      const name = await page(TITLE, 3);
      assert.equal(name.value(), 'hello.endpoint.yaml');
      await name.type('greeter.endpoint.yaml');
    });
    const editor = vscode.window.activeTextEditor;
    assert.equal(editor?.document.uri.path, vscode.Uri.joinPath(folder, 'greeter.endpoint.yaml').path);
    assert.equal(editor.document.getText(editor.selection), 'greeter');
    assert.deepEqual([editor.document.isDirty, editor.document.languageId], [false, 'cloud-compute-endpoint-yaml']);
    const lenses = await executeCommand<vscode.CodeLens[]>('vscode.executeCodeLensProvider', editor.document.uri);
    assert.ok(lenses.length > 0);
    assert.deepEqual(vscode.languages.getDiagnostics(editor.document.uri), []);
  });

  it('creates JSON with comments for a name that ends with .endpoint.json', async () => {
    await wizard(async (page) => {
      await (await page(TITLE, 1)).choose('$(book) Example');
      await (await page(TITLE, 2)).choose('$(globe) Load-balanced endpoint with GPUs');
      await (await page(TITLE, 3)).type('greeter.endpoint.json');
    });
    const editor = vscode.window.activeTextEditor;
    assert.equal(editor?.document.languageId, 'cloud-compute-endpoint-json');
    assert.equal(editor.document.getText(editor.selection), '"greeter"');
    assert.match(await textOf('greeter.endpoint.json'), /^\{\n {2}\/\/ Load-balanced/);
  });

  it('finds the workers of the workspace, and fills in x-local relative to the new file', async () => {
    await wizard(async (page) => {
      await (await page(TITLE, 1)).choose('$(file-code) Local Worker');
      const workers = await page(TITLE, 2);
      assert.deepEqual(await workers.loaded(), ['$(file-code) handler.mjs']);
      await workers.accept();
      const name = await page(TITLE, 3);
      assert.equal(name.value(), 'hello.endpoint.yaml');
      await name.accept();
    });
    const text = await textOf('hello.endpoint.yaml');
    assert.match(text, /x-local:\n {2}directory: \.\.\/hello\n {2}command: node handler\.mjs\n/);
    assert.match(text, /^type: QUEUE$/m);
  });

  it('uses the interpreter of a virtual environment, and ignores the files inside of it', async () => {
    const write = (path: string, text: string) =>
      fs.writeFile(vscode.Uri.joinPath(folder, path), new TextEncoder().encode(text));
    await write('api/main.py', 'from fastapi import FastAPI\napp = FastAPI()\n');
    await write('.venv/bin/python', '');
    await write('.venv/lib/server.py', 'HTTPServer(("", 80), None)\n');
    await wizard(async (page) => {
      await (await page(TITLE, 1)).choose('$(file-code) Local Worker');
      const workers = await page(TITLE, 2);
      assert.ok(!(await workers.loaded()).includes('$(file-code) server.py'));
      await workers.choose('$(file-code) main.py');
      const name = await page(TITLE, 3);
      assert.equal(name.value(), 'api.endpoint.yaml');
      await name.accept();
    });
    const text = await textOf('api.endpoint.yaml');
    assert.match(text, /^type: LOAD_BALANCER$/m);
    assert.match(text, /directory: api\n {2}command:\n {4}- \.\.\/\.venv\/bin\/python\n/);
  });

  it('completes a name, rejects one that is taken, and never replaces a file', async () => {
    await fs.writeFile(vscode.Uri.joinPath(folder, 'taken.endpoint.yaml'), new TextEncoder().encode('# mine\n'));
    await wizard(async (page) => {
      await (await page(TITLE, 1)).choose('$(book) Example');
      await (await page(TITLE, 2)).accept();
      const name = await page(TITLE, 3);
      await name.type('taken');
      assert.match(await name.refusal(), /taken\.endpoint\.yaml already exists/);
      await name.type('a:b');
      assert.match(await name.refusal(), /cannot contain/);
      await name.leave();
    });
    assert.deepEqual(await namesIn(folder), ['taken.endpoint.yaml']);
    assert.equal(await textOf('taken.endpoint.yaml'), '# mine\n');
  });

  it('creates nothing if the user leaves at any step, and Back shows the previous step', async () => {
    for (const steps of [1, 2, 3])
      await wizard(async (page) => {
        let current = await page(TITLE, 1);
        if (steps > 1) {
          await current.choose('$(book) Example');
          current = await page(TITLE, 2);
        }
        if (steps > 2) {
          await current.accept();
          await (await page(TITLE, 3)).back();
          await (await page(TITLE, 2)).back();
          current = await page(TITLE, 1);
        }
        await current.leave();
      });
    assert.deepEqual(await namesIn(folder), []);
  });

  it('explains a missing connection, and lists templates and endpoints once the platform runs', async () => {
    await executeCommand('cloudCompute.localPlatform.stop');
    await wizard(async (page) => {
      await (await page(TITLE, 1)).choose('$(package) Template');
      const remedy = await page(TITLE, 2);
      assert.deepEqual(remedy.labels(), ['$(plug) Start Local Platform']);
      await remedy.accept();
      const templates = await page(TITLE, 2);
      await templates.loaded();
      await templates.choose('$(file-code) Web server (nginx), load-balanced');
      const name = await page(TITLE, 3);
      assert.equal(name.value(), 'web-server-nginx-load-balanced.endpoint.yaml');
      await name.type('web.endpoint.yaml');
    });
    assert.match(await textOf('web.endpoint.yaml'), /^templateId: webnginx01$/m);

    const created = vscode.window.activeTextEditor?.document.uri;
    await executeCommand('cloudCompute.manifest.createEndpoint', created);
    await wizard(async (page) => {
      await (await page(TITLE, 1)).choose('$(server-process) Existing Endpoint');
      const endpoints = await page(TITLE, 2);
      await endpoints.loaded();
      await endpoints.choose('$(server-process) web');
      await (await page(TITLE, 3)).type('copy.endpoint.json');
    });
    assert.match(await textOf('copy.endpoint.json'), /"name": "web",\n {2}"type": "LOAD_BALANCER"/);
    await executeCommand('workbench.action.closeAllEditors');
    await executeCommand('cloudCompute.localPlatform.stop');
  });

  it('is offered by Create Endpoint if there are several manifests', async () => {
    for (const name of ['one', 'two'])
      await fs.writeFile(vscode.Uri.joinPath(folder, `${name}.endpoint.yaml`), new TextEncoder().encode('# mine\n'));
    await executeCommand('workbench.action.closeAllEditors');
    const chosen = vscode.window.showQuickPick;
    const window = vscode.window as { -readonly [Key in keyof typeof vscode.window]: (typeof vscode.window)[Key] };
    const { page, done } = inputs();
    window.showQuickPick = async (items: unknown) =>
      ((await items) as vscode.QuickPickItem[]).find(
        ({ label }) => label === '$(new-file) New Endpoint File…',
      ) as never;
    const command = executeCommand('cloudCompute.manifest.createEndpoint');
    try {
      await (await page(TITLE, 1)).leave();
      await command;
    } finally {
      window.showQuickPick = chosen;
      done();
    }
  });

  it('opens an untitled file without a folder', async () => {
    await createFile(undefined, 'loose.endpoint.yaml', [{ comment: ['Loose.'], fields: { name: 'loose' } }]);
    const editor = vscode.window.activeTextEditor;
    assert.deepEqual([editor?.document.isUntitled, editor?.document.uri.path], [true, 'loose.endpoint.yaml']);
    assert.equal(editor?.document.getText(), '# Loose.\nname: loose\n');
    assert.equal(editor.document.getText(editor.selection), 'loose');
  });

  it('does not replace a file that appears while the wizard is open', async () => {
    const uri = vscode.Uri.joinPath(folder, 'late.endpoint.yaml');
    await fs.writeFile(uri, new TextEncoder().encode('# mine\n'));
    await assert.rejects(createFile(folder, 'late.endpoint.yaml', [{ fields: { name: 'late' } }]), UserError);
    assert.equal(await textOf('late.endpoint.yaml'), '# mine\n');
  });

  it('makes an error visible in a new file as soon as the user edits it', async () => {
    await wizard(async (page) => {
      await (await page(TITLE, 1)).choose('$(book) Example');
      await (await page(TITLE, 2)).accept();
      await (await page(TITLE, 3)).accept();
    });
    const editor = vscode.window.activeTextEditor;
    assert.ok(editor);
    await editor.edit((edit) => edit.replace(editor.selection, '5'));
    const [problem] = await waitFor([wroteDiagnostics], () =>
      nonEmpty(vscode.languages.getDiagnostics(editor.document.uri)),
    );
    assert.match(problem.message, /put it in quotes/);
  });
});
