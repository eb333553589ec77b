import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { activated, waitFor, workspaceFolder } from './support.ts';

const { executeCommand } = vscode.commands;
const wroteDiagnostics = vscode.languages.onDidChangeDiagnostics as vscode.Event<never>;

const yaml = `# A comment
# of two lines
name: first
type: QUEUE
scaling:
  type: QUEUE_DELAY
  queueDelay: 4
image: ghcr.io/example/check:1
gpu:
  pools:
    - ADA_24
    - NO_POOL
dataCenterIds: [EU-RO-1]
registry: no-registry
timeout: 300000
networkVolumes: [no-volume]
x-local:
  directory: hello
  command: node handler.mjs
---
name: second
type: QUEUE
scaling: { type: QUEUE_DELAY, queueDelay: 4 }
image: python
cpu:
  - id: cpu3c
    vcpuCount: 2
`;

const json = `{"name":"check", // the name
"type":"QUEUE","image":"python","env":{
"A":"b"}}
`;

describe('The language service of manifests', () => {
  const opened: vscode.Uri[] = [];

  async function open(name: string, text: string): Promise<vscode.TextDocument> {
    const uri = vscode.Uri.joinPath(workspaceFolder(), name);
    await vscode.workspace.fs.writeFile(uri, new TextEncoder().encode(text));
    opened.push(uri);
    const document = await vscode.workspace.openTextDocument(uri);
    await vscode.window.showTextDocument(document, { preview: false });
    return document;
  }

  const whole = (document: vscode.TextDocument) => new vscode.Range(0, 0, document.lineCount, 0);
  const hintsOf = ({ uri }: vscode.TextDocument, range: vscode.Range) =>
    executeCommand<vscode.InlayHint[]>('vscode.executeInlayHintProvider', uri, range);
  const textOf = (label: vscode.InlayHint['label']) =>
    typeof label === 'string' ? label : label.map(({ value }) => value).join('');
  const problems = ({ uri }: vscode.TextDocument) => vscode.languages.getDiagnostics(uri);

  /** Returns the problem at the end of these words, once it is reported. */
  const problemAt = (document: vscode.TextDocument, words: string) =>
    waitFor([wroteDiagnostics], () => problems(document).find(({ range }) => document.getText(range) === words));

  before(async () => {
    await activated();
    await executeCommand('cloudCompute.localPlatform.start');
  });

  after(async () => {
    await executeCommand('workbench.action.closeAllEditors');
    for (const uri of opened) await vscode.workspace.fs.delete(uri);
    await executeCommand('cloudCompute.localPlatform.stop');
    await executeCommand('notifications.clearAll');
  });

  describe('in YAML', () => {
    let document: vscode.TextDocument;

    before(async () => {
      document = await open('language.endpoint.yaml', yaml);
    });

    it('reports hardware and references that the platform does not have', async () => {
      await hintsOf(document, whole(document));
      const messages = [];
      for (const words of ['NO_POOL', 'no-registry', 'no-volume'])
        messages.push((await problemAt(document, words)).message);
      assert.match(messages[0] ?? '', /: unknown GPU pool 'NO_POOL'; expected one of .*ADA_24/);
      assert.equal(messages[1], "registry: there is no registry credential 'no-registry'");
      assert.match(messages[2] ?? '', /there is no network volume 'no-volume'$/);
    });

    it('strikes through a deprecated field', async () => {
      const deprecated = await waitFor([wroteDiagnostics], () =>
        problems(document).find(({ code }) => code === 'deprecatedField'),
      );
      assert.equal(deprecated.severity, vscode.DiagnosticSeverity.Hint);
      assert.deepEqual(deprecated.tags, [vscode.DiagnosticTag.Deprecated]);
      assert.match(document.getText(deprecated.range), /networkVolumes|no-volume/);
    });

    it('shows prices and durations', async () => {
      await problemAt(document, 'NO_POOL');
      const hints = await hintsOf(document, whole(document));
      const shown = hints.map(({ position, label }) => [document.lineAt(position).text.trim(), textOf(label)]);
      assert.deepEqual(
        shown.map(([line]) => line),
        ['- ADA_24', 'timeout: 300000', '- id: cpu3c'],
      );
      assert.match(shown[0]?.[1] ?? '', /^\$\d+\.\d+\/h$/);
      assert.equal(shown[1]?.[1], '5 min');
      assert.match(shown[2]?.[1] ?? '', /^\$\d+\.\d+\/h$/);
    });

    it('outlines each endpoint', async () => {
      const symbols = await executeCommand<vscode.DocumentSymbol[]>(
        'vscode.executeDocumentSymbolProvider',
        document.uri,
      );
      assert.deepEqual(
        symbols.map(({ name, detail }) => [name, detail]),
        [
          ['first', 'QUEUE'],
          ['second', 'QUEUE'],
        ],
      );
      const volumes = symbols[0]?.children.find(({ name }) => name === 'networkVolumes');
      assert.ok(volumes);
      assert.equal(document.getText(volumes.selectionRange), 'networkVolumes');
    });

    it('folds maps, lists, and comments', async () => {
      const ranges = await executeCommand<vscode.FoldingRange[]>('vscode.executeFoldingRangeProvider', document.uri);
      const lines = ranges.map(({ start, end, kind }) => [document.lineAt(start).text.trim(), end - start, kind]);
      for (const wanted of [
        ['# A comment', 1, vscode.FoldingRangeKind.Comment],
        ['scaling:', 2, undefined],
        ['gpu:', 3, undefined],
        ['pools:', 2, undefined],
        ['---', 7, undefined],
      ])
        assert.ok(
          lines.some((line) => line.join() === wanted.join()),
          `${wanted.join()} is among ${JSON.stringify(lines)}`,
        );
    });

    it('expands the selection from a value to its field', async () => {
      const position = document.positionAt(yaml.indexOf('ADA_24') + 2);
      const [innermost] = await executeCommand<vscode.SelectionRange[]>(
        'vscode.executeSelectionRangeProvider',
        document.uri,
        [position],
      );
      const texts: string[] = [];
      for (let range = innermost; range; range = range.parent) texts.push(document.getText(range.range));
      assert.ok(texts.includes('ADA_24'), JSON.stringify(texts));
      assert.ok(texts.includes('pools:\n    - ADA_24\n    - NO_POOL'), JSON.stringify(texts));
      assert.equal(texts.at(-1), yaml);
    });

    it('links images and an existing directory', async () => {
      const links = await executeCommand<vscode.DocumentLink[]>('vscode.executeLinkProvider', document.uri);
      const targets = links.map(({ range, target }) => [document.getText(range), target?.toString(true)] as const);
      const [first, directory, second] = targets;
      assert.deepEqual(first, ['ghcr.io/example/check:1', 'https://ghcr.io/example/check']);
      assert.equal(directory?.[0], 'hello');
      assert.match(directory[1] ?? '', /^command:revealInExplorer\?\[.*\/hello"/);
      assert.deepEqual(second, ['python', 'https://hub.docker.com/_/python']);
    });

    it('forgets the values of a platform that was stopped', async () => {
      await executeCommand('cloudCompute.localPlatform.stop');
      await waitFor([wroteDiagnostics], () => problems(document).every(({ code }) => code !== 'unknownPool'));
      const hints = await hintsOf(document, whole(document));
      assert.deepEqual(
        hints.map(({ label }) => textOf(label)),
        ['5 min'],
      );
    });
  });

  describe('in JSON', () => {
    let document: vscode.TextDocument;

    before(async () => {
      document = await open('language.endpoint.json', json);
    });

    it('outlines the fields', async () => {
      const symbols = await executeCommand<vscode.DocumentSymbol[]>(
        'vscode.executeDocumentSymbolProvider',
        document.uri,
      );
      assert.deepEqual(
        symbols.map(({ name, detail }) => [name, detail]),
        [
          ['name', 'check'],
          ['type', 'QUEUE'],
          ['image', 'python'],
          ['env', ''],
        ],
      );
    });

    it('formats the document', async () => {
      const edits = await executeCommand<vscode.TextEdit[]>('vscode.executeFormatDocumentProvider', document.uri, {
        tabSize: 2,
        insertSpaces: true,
      });
      const edit = new vscode.WorkspaceEdit();
      edit.set(document.uri, edits);
      await vscode.workspace.applyEdit(edit);
      assert.equal(
        document.getText(),
        `{
  "name": "check", // the name
  "type": "QUEUE",
  "image": "python",
  "env": {
    "A": "b"
  }
}
`,
      );
    });

    it('provides each service once', async () => {
      const links = await executeCommand<vscode.DocumentLink[]>('vscode.executeLinkProvider', document.uri);
      const ranges = await executeCommand<vscode.FoldingRange[]>('vscode.executeFoldingRangeProvider', document.uri);
      assert.deepEqual([links.length, ranges.map(({ start }) => start)], [1, [0, 4]]);
    });
  });
});
