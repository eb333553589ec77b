import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { activated, nonEmpty, waitFor, workspaceFolder } from './support.ts';

const good = `name: check
type: QUEUE
image: example/check:1
scaling:
  type: QUEUE_DELAY
  queueDelay: 4
cpu:
  - id: cpu3c
    vcpuCount: 2
x-local:
  directory: .
  command: node check.mjs
`;

const wroteDiagnostics = vscode.languages.onDidChangeDiagnostics as vscode.Event<never>;

describe('A manifest in the editor', () => {
  let document: vscode.TextDocument;

  before(async () => {
    await activated();
    const uri = vscode.Uri.joinPath(workspaceFolder(), 'check.endpoint.yaml');
    await vscode.workspace.fs.writeFile(uri, new TextEncoder().encode(good));
    document = await vscode.workspace.openTextDocument(uri);
    await vscode.window.showTextDocument(document);
  });

  after(async () => {
    await vscode.commands.executeCommand('workbench.action.revertAndCloseActiveEditor');
    await vscode.workspace.fs.delete(document.uri);
  });

  /** Replaces the text and waits for its diagnostics. */
  async function diagnosticsOf(text: string): Promise<readonly vscode.Diagnostic[]> {
    const edit = new vscode.WorkspaceEdit();
    edit.replace(document.uri, new vscode.Range(0, 0, document.lineCount, 0), text);
    await vscode.workspace.applyEdit(edit);
    return waitFor([wroteDiagnostics], () => nonEmpty(vscode.languages.getDiagnostics(document.uri)));
  }

  async function hasNone(): Promise<void> {
    await waitFor([wroteDiagnostics], () => vscode.languages.getDiagnostics(document.uri).length === 0);
  }

  /** Restores a valid manifest, so that the next test waits for its own diagnostics. */
  afterEach(async () => {
    const edit = new vscode.WorkspaceEdit();
    edit.replace(document.uri, new vscode.Range(0, 0, document.lineCount, 0), good);
    await vscode.workspace.applyEdit(edit);
    await hasNone();
  });

  it('marks an invalid value at its position', async () => {
    const [first, ...others] = await diagnosticsOf(good.replace('type: QUEUE\n', 'type: QUEUED\n'));
    assert.deepEqual(others, []);
    assert.equal(document.getText(first?.range), 'QUEUED');
    assert.equal(first?.message, 'type: must be one of QUEUE, LOAD_BALANCER');
    assert.equal(first.source, 'Cloud Compute');
    assert.equal(first.severity, vscode.DiagnosticSeverity.Error);
  });

  it('marks a YAML syntax error', async () => {
    const [first] = await diagnosticsOf(good.replace('name: check', 'name: "check'));
    assert.equal(first?.severity, vscode.DiagnosticSeverity.Error);
    assert.match(first.message, /quote/);
  });

  it('creates no endpoint while it is invalid, and selects the invalid value', async () => {
    await diagnosticsOf(good.replace('vcpuCount: 2', 'vcpuCount: 3'));
    await vscode.commands.executeCommand('cloudCompute.manifest.createEndpoint', document.uri);
    const editor = vscode.window.activeTextEditor;
    assert.equal(editor?.document.uri.toString(), document.uri.toString());
    assert.equal(document.getText(editor.selection), '3');
  });

  it('has a code lens that creates its endpoint', async () => {
    const lenses = await vscode.commands.executeCommand<vscode.CodeLens[]>(
      'vscode.executeCodeLensProvider',
      document.uri,
    );
    const [lens] = lenses.filter(({ command }) => command?.command === 'cloudCompute.manifest.createEndpoint');
    assert.match(lens?.command?.title ?? '', /Create Endpoint/);
    assert.equal(lens?.range.start.line, 0);
    assert.equal((lens.command?.arguments?.[0] as vscode.Uri).toString(), document.uri.toString());
  });
});
