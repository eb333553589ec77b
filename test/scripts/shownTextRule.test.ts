import assert from 'node:assert/strict';
import { problems } from './lintRule.ts';

describe('lint rule about showing text', () => {
  const feature = 'src/features/jobs/run/runJob.ts';
  const forbidden = [
    'vscode.window.showErrorMessage(job.error)',
    'vscode.window.showQuickPick(names)',
    'vscode.window.showInputBox({ title })',
    'vscode.window.createInputBox()',
    'vscode.window.createQuickPick()',
    'vscode.window.withProgress({ title }, task)',
    'vscode.window.createStatusBarItem()',
    'vscode.window.createTreeView(id, options)',
    'vscode.window.createOutputChannel(name)',
    'vscode.window.setStatusBarMessage(text)',
    'new vscode.MarkdownString(text, true)',
    'new vscode.TreeItem(label)',
    'class Row extends vscode.TreeItem {}',
    'new vscode.CodeLens(range, command)',
    'new vscode.DocumentLink(range, target)',
    'new vscode.Diagnostic(range, message)',
    'new vscode.Hover(text)',
    'vscode.workspace.registerFileSystemProvider(scheme, provider)',
    'vscode.authentication.registerAuthenticationProvider(id, label, provider)',
    'vscode.commands.registerCommand(id, run)',
    "vscode.commands.executeCommand('vscode.diff', a, b, title)",
    'input.validationMessage = text',
    'text.isTrusted = true',
    'const { showErrorMessage } = vscode.window',
    'const show = vscode.window.showErrorMessage',
    'const { window } = { window: vscode.window }',
    "vscode.window['showErrorMessage'](text)",
    'class Tree { getTreeItem(node: Node): vscode.TreeItem { return { label: node.name }; } }',
    'class Lenses { provideCodeLenses(): vscode.CodeLens[] { return [{ range, command: { title: name, command } }]; } }',
    'const row = (name: string): vscode.TreeItem => ({ label: name })',
    'const item: vscode.TreeItem = { label: name }',
    'show({ label: name } as vscode.TreeItem)',
    'const item = { label: name } satisfies vscode.TreeItem',
    'const lenses: vscode.CodeLensProvider = { provideCodeLenses: () => [{ range, isResolved: true, command }] }',
    "import { window } from 'vscode'",
    "import * as code from 'vscode'",
  ];
  for (const code of forbidden)
    it(`forbids ${code} in a feature`, async () => {
      assert.equal((await problems(feature, code)).length, 1);
    });

  it('allows types and functions that show no text', async () => {
    const made =
      'class Tree { getTreeItem(node: Node): vscode.TreeItem { return treeItem({ label: node.name, command: { arguments: [node] } }); } }';
    assert.deepEqual(await problems(feature, made), []);
    const code =
      'const item = (one: vscode.TreeItem) => vscode.window.showTextDocument(one as never, new vscode.Range(0, 0, 0, 0));';
    assert.deepEqual(await problems(feature, code), []);
  });

  for (const code of [
    'cell.innerHTML = name',
    "cell['outerHTML'] = name",
    'document.write(name)',
    "import { unsafeHTML } from 'lit/directives/unsafe-html.js'",
    'html`<p .innerHTML=${name}></p>`',
  ])
    it(`forbids ${code} in a webview`, async () => {
      assert.equal((await problems('src/webviews/billing/chart.ts', code)).length, 1);
    });
});
