import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { activated, reported, waitFor, workspaceFolder } from './support.ts';

const changed = vscode.languages.onDidChangeDiagnostics as vscode.Event<never>;
const file = (name: string) => vscode.Uri.joinPath(workspaceFolder(), 'schemas', name);
const write = (name: string, text: string) => vscode.workspace.fs.writeFile(file(name), new TextEncoder().encode(text));

const MANIFEST = `name: painter
type: QUEUE
image: registry.example.com/painter:1
scaling: { type: QUEUE_DELAY, queueDelay: 1 }
cpu: [{ id: cpu3c, vcpuCount: 2 }]
x-local: { directory: worker, command: python3 handler.py, inputSchema: painter.json }
`;

describe('The input schema of a manifest', () => {
  let document: vscode.TextDocument;
  const problems = () => vscode.languages.getDiagnostics(document.uri).filter(({ code }) => code === 'inputSchema');
  const reason = (words: RegExp) => waitFor([changed], () => problems().find(({ message }) => words.test(message)));
  const none = () => waitFor([changed], () => problems().length === 0);

  before(async () => {
    await activated();
    await reported('**/schemas', () => vscode.workspace.fs.createDirectory(file('')));
    await write('painter.endpoint.yaml', MANIFEST);
    document = await vscode.workspace.openTextDocument(file('painter.endpoint.yaml'));
    await vscode.window.showTextDocument(document);
  });

  after(async () => {
    await vscode.commands.executeCommand('workbench.action.revertAndCloseActiveEditor');
    await vscode.workspace.fs.delete(file(''), { recursive: true });
  });

  it('is marked while its file is missing', async () => {
    const { range, source, severity } = await reason(/cannot be used: the file cannot be read/);
    assert.deepEqual(
      [document.getText(range), source, severity],
      ['painter.json', 'Cloud Compute', vscode.DiagnosticSeverity.Warning],
    );
    await write('painter.json', '{ "properties": { "prompt": { "type": "string" } } }');
    await none();
  });

  for (const [what, text, words] of [
    ['larger than 1 MB', `{"description": "${'x'.repeat(1_100_000)}"}`, /the schema is larger than 1 MB/],
    ['not JSON', '{\n  "properties": \n', /not valid JSON at line \d/],
    ['not a schema', '[]', /a schema is an object, or true or false/],
    ['one with a reference to nothing', '{ "properties": { "a": { "$ref": "#/no" } } }', /cannot be used/],
    ['one with a pattern that can hang', '{ "properties": { "a": { "pattern": "^(a+)+$" } } }', /\^\(a\+\)\+\$/],
  ] as const)
    it(`is marked if the file is ${what}, until it is mended`, async () => {
      await write('painter.json', text);
      await reason(words);
      await write('painter.json', '{}');
      await none();
    });

  it('is checked in the manifest itself, too, as it is typed', async () => {
    const edit = new vscode.WorkspaceEdit();
    const at = document.getText().indexOf('painter.json');
    const range = new vscode.Range(document.positionAt(at), document.positionAt(at + 12));
    edit.replace(document.uri, range, '{ properties: { a: { pattern: "^(b+)+$" } } }');
    await vscode.workspace.applyEdit(edit);
    await reason(/\^\(b\+\)\+\$/);
    await vscode.commands.executeCommand('undo');
    await none();
  });
});
