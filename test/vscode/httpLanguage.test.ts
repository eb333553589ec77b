import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { emptyPlatform } from './emptyPlatform.ts';
import { activated, waitFor, workspaceFolder } from './support.ts';

const { executeCommand } = vscode.commands;
const wroteDiagnostics = vscode.languages.onDidChangeDiagnostics as vscode.Event<never>;

const manifest = `name: host-balanced
type: LOAD_BALANCER
scaling: { type: REQUEST_COUNT, requestCount: 4 }
workers: { min: 0, max: 1, idleTimeout: 5 }
image: registry.example.com/host:1.0
ports: [8000/http]
cpu: [{ id: cpu3c, vcpuCount: 2 }]
env: { HEALTH_CHECK_PATH: /healthz }
x-local: { directory: ., command: node server.mjs }
`;

const text = `@who = you
### Greet
POST {{endpoint:host-balanced}}/greet

{
  "name": "{{who}}"
}

### Upload
PUT {{endpoint:host-balancd}}/upload
Authorization: Bearer abc

< ./picture.png

###
GET /nothing
`;

describe('The language service of HTTP files', () => {
  const folder = vscode.Uri.joinPath(workspaceFolder(), 'web');
  const file = vscode.Uri.joinPath(folder, 'host.http');
  let document: vscode.TextDocument;

  const write = (uri: vscode.Uri, content: string) =>
    vscode.workspace.fs.writeFile(uri, new TextEncoder().encode(content));
  const problems = (uri = file) => vscode.languages.getDiagnostics(uri);
  const codes = (uri = file) => problems(uri).map(({ code }) => code);
  const lensesOf = async (uri = file) => {
    const lenses = await executeCommand<vscode.CodeLens[]>('vscode.executeCodeLensProvider', uri);
    return lenses.map(({ range, command }) => ({ line: range.start.line, ...command }));
  };
  const placeOf = (words: string) => document.positionAt(document.getText().indexOf(words));
  const completionsAt = async (uri: vscode.Uri, position: vscode.Position) => {
    const { items } = await executeCommand<vscode.CompletionList>(
      'vscode.executeCompletionItemProvider',
      uri,
      position,
    );
    return items.map(({ label }) => (typeof label === 'string' ? label : label.label));
  };

  async function untitled(content: string): Promise<vscode.TextDocument> {
    return vscode.workspace.openTextDocument({ language: 'http', content });
  }

  before(async () => {
    await activated();
    await write(file, text);
    await write(vscode.Uri.joinPath(folder, 'host.endpoint.yaml'), manifest);
    document = await vscode.workspace.openTextDocument(file);
    await vscode.window.showTextDocument(document, { preview: false });
  });

  after(async () => {
    await executeCommand('workbench.action.closeAllEditors');
    await vscode.workspace.fs.delete(folder, { recursive: true });
    await emptyPlatform();
    await executeCommand('notifications.clearAll');
  });

  it('has a language of its own', () => assert.equal(document.languageId, 'http'));

  describe('without a platform', () => {
    it('shows one lens that connects', async () => {
      const [first, ...others] = await lensesOf();
      assert.deepEqual(others, []);
      assert.match(first?.title ?? '', /to Send/);
      assert.equal(first?.line, 2);
    });

    it('reports problems of the syntax, and none that depend on the endpoints', async () => {
      const other = await untitled('PSOT {{endpoint:any}}/a\n');
      await waitFor([wroteDiagnostics], () => codes(other.uri).includes('unknownMethod'));
      await waitFor([wroteDiagnostics], () => codes().includes('authorizationHeader'));
      assert.deepEqual(codes(), ['contentTypeAdded', 'authorizationHeader']);
    });
  });

  describe('with the local platform', () => {
    before(async () => {
      await executeCommand('cloudCompute.localPlatform.start');
    });

    it('reports an unknown endpoint until it is created', async () => {
      const reported = () => problems().find(({ code, range }) => code === 'unknownEndpoint' && range.start.line === 2);
      const found = await waitFor([wroteDiagnostics], reported);
      assert.equal(document.getText(found.range), 'host-balanced');
      assert.equal(found.source, 'Cloud Compute');
      await executeCommand('cloudCompute.manifest.createEndpoint', vscode.Uri.joinPath(folder, 'host.endpoint.yaml'));
      await vscode.window.showTextDocument(document, { preview: false });
      await waitFor([wroteDiagnostics], () => reported() === undefined);
      assert.deepEqual(codes(), ['contentTypeAdded', 'unknownEndpoint', 'authorizationHeader']);
    });

    it('shows lenses above each request', async () => {
      const lenses = await lensesOf();
      const send = lenses.filter(({ command }) => command === 'cloudCompute.routes.send');
      assert.deepEqual(
        send.map(({ line, arguments: args }) => [line, String((args as unknown[])[0]), (args as unknown[])[1]]),
        [2, 9, 15].map((line, index) => [line, file.toString(), index]),
      );
      assert.ok(send.every(({ title }) => title?.endsWith('Send to Local Platform')));
      assert.equal(lenses.filter(({ command }) => command === 'cloudCompute.copyAs').length, 3);
    });

    it('shows no lenses in documents that are not files', async () => {
      const scheme = 'http-elsewhere';
      const provider = vscode.workspace.registerTextDocumentContentProvider(scheme, {
        provideTextDocumentContent: () => 'GET /a',
      });
      const other = await vscode.workspace.openTextDocument(vscode.Uri.from({ scheme, path: '/a.http' }));
      assert.equal(other.languageId, 'http');
      assert.deepEqual(await lensesOf(other.uri), []);
      provider.dispose();
    });

    it('completes methods, variables, endpoints, and headers', async () => {
      const other = await untitled('\n###\nPOST {{}}/a\nCo\n');
      const methods = await completionsAt(other.uri, new vscode.Position(0, 0));
      assert.deepEqual(methods.slice(0, 2), ['GET', 'POST']);
      const variables = await completionsAt(other.uri, new vscode.Position(2, 7));
      assert.ok(variables.includes('endpoint:host-balanced') && variables.includes('$guid'), variables.join());
      const headers = await completionsAt(other.uri, new vscode.Position(3, 2));
      assert.ok(headers.includes('Content-Type'), headers.join());
    });

    it('shows the base address of an endpoint and the value of a variable', async () => {
      const hovered = async (words: string) => {
        const hovers = await executeCommand<vscode.Hover[]>('vscode.executeHoverProvider', file, placeOf(words));
        return hovers.flatMap(({ contents }) => contents.map((one) => (one as vscode.MarkdownString).value)).join('\n');
      };
      assert.match(await hovered('{{endpoint:host-balanced'), /`http:\/\/127\.0\.0\.1:\d+\/endpoints\/\w+`/);
      assert.match(await hovered('{{who'), /`you`/);
    });

    it('lists requests in the outline, folds them, and links files', async () => {
      const symbols = await executeCommand<vscode.DocumentSymbol[]>('vscode.executeDocumentSymbolProvider', file);
      assert.deepEqual(
        symbols.map(({ name }) => name),
        ['@who', 'Greet', 'Upload', 'GET /nothing'],
      );
      const folds = await executeCommand<vscode.FoldingRange[]>('vscode.executeFoldingRangeProvider', file);
      assert.deepEqual(
        folds.map(({ start, end }) => [start, end]),
        [
          [1, 6],
          [4, 6],
          [8, 12],
          [14, 15],
        ],
      );
      const links = await executeCommand<vscode.DocumentLink[]>('vscode.executeLinkProvider', file);
      assert.ok(links.some(({ target }) => target?.path === vscode.Uri.joinPath(folder, 'picture.png').path));
    });

    it('corrects a misspelled endpoint, and removes a key', async () => {
      const fix = async (code: string, title: string) => {
        const found = await waitFor([wroteDiagnostics], () => problems().find((one) => one.code === code));
        const actions = await executeCommand<vscode.CodeAction[]>(
          'vscode.executeCodeActionProvider',
          file,
          found.range,
        );
        const action = actions.find((one) => one.title === title);
        assert.ok(action?.edit, actions.map((one) => one.title).join());
        await vscode.workspace.applyEdit(action.edit);
      };
      await fix('unknownEndpoint', "Change to 'host-balanced'");
      await fix('authorizationHeader', 'Remove Authorization');
      await waitFor([wroteDiagnostics], () => problems().every(({ code }) => code === 'contentTypeAdded'));
      assert.ok(document.getText().includes('PUT {{endpoint:host-balanced}}/upload\n\n< ./picture.png'));
      await document.save();
    });

    it('opens the file of the workspace that names an endpoint', async () => {
      await executeCommand('workbench.action.closeAllEditors');
      await executeCommand('cloudCompute.routes.open');
      assert.equal(vscode.window.activeTextEditor?.document.uri.toString(), file.toString());
    });

    it('opens an unsaved example for an endpoint that no file names', async () => {
      await executeCommand('workbench.action.closeAllEditors');
      await vscode.workspace.fs.delete(file);
      await executeCommand('cloudCompute.routes.open');
      const example = vscode.window.activeTextEditor?.document;
      assert.ok(example);
      assert.deepEqual([example.uri.scheme, example.languageId], ['untitled', 'http']);
      assert.ok(example.uri.path.endsWith('/host-balanced.http'), example.uri.path);
      assert.match(example.getText(), /GET \{\{endpoint:host-balanced\}\}\/healthz/);
      const lenses = await lensesOf(example.uri);
      assert.equal(lenses.filter(({ command }) => command === 'cloudCompute.routes.send').length, 2);
      assert.deepEqual(codes(example.uri), []);
      await executeCommand('workbench.action.revertAndCloseActiveEditor');
    });

    it('creates a request file for a chosen endpoint', async () => {
      const { showQuickPick } = vscode.window;
      const offered: string[] = [];
      const window = vscode.window as { showQuickPick: unknown };
      window.showQuickPick = (rows: readonly vscode.QuickPickItem[]) => {
        offered.push(...rows.map(({ label }) => label));
        return Promise.resolve(rows.find(({ label }) => label === 'No Endpoint Yet'));
      };
      try {
        await executeCommand('cloudCompute.routes.newFile');
      } finally {
        window.showQuickPick = showQuickPick;
      }
      assert.ok(offered.includes('host-balanced'), offered.join());
      assert.match(vscode.window.activeTextEditor?.document.getText() ?? '', /\{\{endpoint:my-endpoint\}\}/);
      await executeCommand('workbench.action.revertAndCloseActiveEditor');
    });
  });
});
