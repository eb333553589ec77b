import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { ManifestCodeActions } from '../../src/features/manifest/language/manifestCodeActions.ts';
import { readManifestFile } from '../../src/features/manifest/model/manifestFile.ts';
import { activated, nonEmpty, waitFor, workspaceFolder } from './support.ts';

const broken = {
  yaml: `# mine
name: check
type: queue # jobs wait
image: example/check:1
scaling:
  type: QUEUE_DELAY
  queueDelay: 4
cpu:
  - id: cpu3c
    vcpuCount: 3
`,
  json: `{
  // mine
  "name": "check",
  "type": "queue",
  "image": "example/check:1",
  "scaling": { "type": "QUEUE_DELAY", "queueDelay": 4 },
  "cpu": [{ "id": "cpu3c", "vcpuCount": 3 }],
}
`,
};

const wroteDiagnostics = vscode.languages.onDidChangeDiagnostics as vscode.Event<never>;
const FIX_ALL = vscode.CodeActionKind.SourceFixAll.append('cloudCompute');

for (const language of ['yaml', 'json'] as const)
  describe(`Corrections of a manifest in ${language.toUpperCase()}`, () => {
    let document: vscode.TextDocument;
    /** Each test has its own file, because the editor closes documents later than their editors. */
    let files = 0;

    before(activated);

    beforeEach(async () => {
      const uri = vscode.Uri.joinPath(workspaceFolder(), `fixes-${++files}.endpoint.${language}`);
      await vscode.workspace.fs.writeFile(uri, new TextEncoder().encode(broken[language]));
      document = await vscode.workspace.openTextDocument(uri);
      await vscode.window.showTextDocument(document);
      await waitFor([wroteDiagnostics], () => nonEmpty(errors()));
    });

    afterEach(async () => {
      await vscode.commands.executeCommand('workbench.action.revertAndCloseActiveEditor');
      await vscode.workspace.fs.delete(document.uri);
    });

    const errors = () =>
      vscode.languages
        .getDiagnostics(document.uri)
        .filter(({ severity }) => severity === vscode.DiagnosticSeverity.Error);

    const codes = () => errors().map(({ code }) => code);

    async function actionsAt(text: string, kind?: vscode.CodeActionKind): Promise<vscode.CodeAction[]> {
      const start = document.positionAt(document.getText().indexOf(text));
      return vscode.commands.executeCommand<vscode.CodeAction[]>(
        'vscode.executeCodeActionProvider',
        document.uri,
        new vscode.Range(start, start),
        kind?.value,
        10,
      );
    }

    async function apply({ edit }: vscode.CodeAction): Promise<void> {
      assert.ok(edit, 'the action has an edit');
      assert.ok(await vscode.workspace.applyEdit(edit));
    }

    it('offers the corrections of the problem at the cursor, the preferred one first', async () => {
      const actions = await actionsAt('queue', vscode.CodeActionKind.QuickFix);
      assert.deepEqual(
        actions.map(({ title, isPreferred = false }) => [title, isPreferred]),
        [
          ["Change to 'QUEUE'", true],
          ["Change to 'LOAD_BALANCER'", false],
        ],
      );
    });

    it('belong to the diagnostics that they remove', async () => {
      const options = { target: 'hosted' } as const;
      const read = (one: vscode.TextDocument) =>
        Promise.resolve(readManifestFile(one.getText(), { ...options, language }));
      const provider = new ManifestCodeActions({ read }, () => options);
      const diagnostics = vscode.languages.getDiagnostics(document.uri);
      const everything = new vscode.Range(0, 0, document.lineCount, 0);
      const triggerKind = vscode.CodeActionTriggerKind.Invoke;
      const { token } = new vscode.CancellationTokenSource();
      const actions = await provider.provideCodeActions(
        document,
        everything,
        { only: vscode.CodeActionKind.QuickFix, diagnostics, triggerKind },
        token,
      );
      assert.deepEqual(
        actions.map(({ title, diagnostics: own = [] }) => [title, own.map(({ code }) => code)]),
        [
          ["Change to 'QUEUE'", ['notOneOf']],
          ["Change to 'LOAD_BALANCER'", ['notOneOf']],
          ['Change to 4', ['notAPowerOfTwo']],
          ['Change to 2', ['notAPowerOfTwo']],
        ],
      );
    });

    it('removes the problem and keeps the rest of the text', async () => {
      const [first] = await actionsAt('queue', vscode.CodeActionKind.QuickFix);
      assert.ok(first);
      await apply(first);
      assert.equal(document.getText(), broken[language].replace('queue', 'QUEUE'));
      await waitFor([wroteDiagnostics], () => !codes().includes('notOneOf'));
      assert.deepEqual(codes(), ['notAPowerOfTwo']);
    });

    it('corrects the current text after a change', async () => {
      const edit = new vscode.WorkspaceEdit();
      edit.insert(document.uri, new vscode.Position(0, 0), '\n\n');
      await vscode.workspace.applyEdit(edit);
      const [first] = await actionsAt('queue', vscode.CodeActionKind.QuickFix);
      assert.ok(first);
      await apply(first);
      assert.equal(document.getText(), `\n\n${broken[language].replace('queue', 'QUEUE')}`);
    });

    it('corrects all problems at once, except for those whose correction can cost more', async () => {
      const [all, ...others] = await actionsAt('cpu', FIX_ALL);
      assert.deepEqual(others, []);
      assert.equal(all?.kind?.value, FIX_ALL.value);
      await apply(all);
      assert.equal(document.getText(), broken[language].replace('queue', 'QUEUE'));
      await waitFor([wroteDiagnostics], () => !codes().includes('notOneOf'));
      assert.deepEqual(codes(), ['notAPowerOfTwo']);
    });

    it('offers no corrections for valid text', async () => {
      assert.deepEqual(await actionsAt('cpu3c', vscode.CodeActionKind.QuickFix), []);
    });
  });
