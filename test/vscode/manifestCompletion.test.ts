import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import type { OfferedValues } from '../../src/account/liveValues/liveValues.ts';
import { registerManifestCompletion } from '../../src/features/manifest/language/manifestCompletion.ts';
import type { ManifestModels } from '../../src/features/manifest/language/manifestModels.ts';
import { readManifestFile } from '../../src/features/manifest/model/manifestFile.ts';
import { activated, waitFor, workspaceFolder } from './support.ts';

const yaml = `name: complete
type: QUEUE
workers:
  min: 1
  
timeout: 300000
gp
cpu:
  - id: cpu3c
    vcpuCount: 2
`;

const json = `{
  "name": "complete",
  "type": "QUEUE",
  "workers": { "min": 1, }
}
`;

describe('Completion and hover in a manifest', () => {
  const created: vscode.Uri[] = [];

  before(() => activated());

  after(async () => {
    await vscode.workspace.saveAll();
    await vscode.commands.executeCommand('workbench.action.closeAllEditors');
    for (const uri of created) await vscode.workspace.fs.delete(uri);
  });

  async function opened(name: string, text: string): Promise<vscode.TextDocument> {
    const uri = vscode.Uri.joinPath(workspaceFolder(), name);
    await vscode.workspace.fs.writeFile(uri, new TextEncoder().encode(text));
    created.push(uri);
    const document = await vscode.workspace.openTextDocument(uri);
    await vscode.window.showTextDocument(document);
    return document;
  }

  /** Returns the completions after a text in the document. */
  async function completionsAfter(
    document: vscode.TextDocument,
    before: string,
    trigger?: string,
  ): Promise<readonly vscode.CompletionItem[]> {
    const position = document.positionAt(document.getText().indexOf(before) + before.length);
    const { items } = await vscode.commands.executeCommand<vscode.CompletionList>(
      'vscode.executeCompletionItemProvider',
      document.uri,
      position,
      trigger,
    );
    return items.filter(({ kind }) => kind !== vscode.CompletionItemKind.Text);
  }

  async function hoverOn(document: vscode.TextDocument, text: string): Promise<string> {
    const position = document.positionAt(document.getText().indexOf(text) + 1);
    const hovers = await vscode.commands.executeCommand<vscode.Hover[]>(
      'vscode.executeHoverProvider',
      document.uri,
      position,
    );
    return hovers
      .flatMap(({ contents }) => contents)
      .map((content) => (content as vscode.MarkdownString).value)
      .join('\n');
  }

  /** Ignores the snippets of package.json, which the settings of the languages hide. */
  const labels = (items: readonly vscode.CompletionItem[]): unknown[] =>
    items.filter(({ kind }) => kind !== vscode.CompletionItemKind.Snippet).map(({ label }) => label);

  it('offers fields and values in YAML', async () => {
    const document = await opened('complete.endpoint.yaml', yaml);
    assert.deepEqual(labels(await completionsAfter(document, '  min: 1\n  ')), ['max', 'idleTimeout']);
    assert.deepEqual(labels(await completionsAfter(document, 'type: ')), ['QUEUE', 'LOAD_BALANCER']);
  });

  it('offers fields and values in JSON', async () => {
    const document = await opened('complete.endpoint.json', json);
    assert.deepEqual(labels(await completionsAfter(document, '"min": 1, ')), ['max', 'idleTimeout']);
    assert.deepEqual(labels(await completionsAfter(document, '"type": "')), ['QUEUE', 'LOAD_BALANCER']);
  });

  it('replaces the half-typed name, and marks deprecated and excluded fields', async () => {
    const document = await opened('partly.endpoint.yaml', yaml);
    const items = await completionsAfter(document, '\ngp');
    const item = (label: string) => items.find((one) => one.label === label);
    const gpu = item('gpu');
    assert.equal(document.getText(gpu?.range as vscode.Range), 'gp');
    assert.equal(gpu?.detail, 'gpu and cpu cannot be combined');
    assert.match((gpu.documentation as vscode.MarkdownString).value, /GPUs of each worker/);
    assert.deepEqual(item('networkVolumes')?.tags, [vscode.CompletionItemTag.Deprecated]);
    assert.equal(item('image')?.command?.command, 'editor.action.triggerSuggest');
  });

  it('offers nothing after a space in an indentation', async () => {
    const document = await opened('indented.endpoint.yaml', yaml);
    assert.deepEqual(labels(await completionsAfter(document, '  min: 1\n  ', ' ')), []);
    assert.deepEqual(labels(await completionsAfter(document, 'type: ', ' ')), ['QUEUE', 'LOAD_BALANCER']);
  });

  it('inserts a field with its required parts', async () => {
    const document = await opened('insert.endpoint.yaml', 'name: x\n\ntype: QUEUE\n');
    const items = await completionsAfter(document, 'name: x\n');
    const scaling = items.find(({ label }) => label === 'scaling');
    const inserted = await vscode.window.activeTextEditor?.insertSnippet(
      scaling?.insertText as vscode.SnippetString,
      new vscode.Position(1, 0),
      { undoStopBefore: true, undoStopAfter: true, keepWhitespace: scaling?.keepWhitespace ?? false },
    );
    assert.equal(inserted, true);
    const expected = 'name: x\nscaling:\n  type: QUEUE_DELAY\n  queueDelay: 4\ntype: QUEUE\n';
    assert.equal(document.getText().replaceAll('\r\n', '\n'), expected);
  });

  it('describes fields and values', async () => {
    const document = await opened('hover.endpoint.yaml', yaml);
    assert.match(await hoverOn(document, 'timeout'), /Maximum execution time/);
    assert.match(await hoverOn(document, '300000'), /300000 ms` = 5 min/);
    const other = await opened('hover.endpoint.json', json);
    assert.match(await hoverOn(other, '"workers"'), /Number of workers/);
  });

  it('is asked for again without a key when the platform returns values that change the open list', async () => {
    const document = await opened('late.endpoint.yaml', 'name: late\ntype: QUEUE\nregistry: \n');
    const arrived = new vscode.EventEmitter<undefined>();
    const requested = new vscode.EventEmitter<undefined>();
    let registries: OfferedValues['registries'];
    let requests = 0;
    const live = {
      get current() {
        return registries ? { registries } : {};
      },
      onDidChange: arrived.event,
      request: () => {
        requests++;
        requested.fire(undefined);
      },
    };
    const models = {
      read: () => Promise.resolve(readManifestFile(document.getText(), { language: 'yaml', target: 'local' })),
    } as unknown as ManifestModels;
    const registered = registerManifestCompletion(models, live);
    try {
      const editor = await vscode.window.showTextDocument(document);
      const end = document.lineAt(2).range.end;
      editor.selection = new vscode.Selection(end, end);
      await vscode.commands.executeCommand('editor.action.triggerSuggest');
      await waitFor([requested.event] as unknown as vscode.Event<never>[], () => requests === 1);
      const items = await vscode.commands.executeCommand<vscode.CompletionList>(
        'vscode.executeCompletionItemProvider',
        document.uri,
        end,
      );
      assert.ok(!items.items.some(({ label }) => label === 'reg1'));
      const before = requests;
      // Values that are not offered here change nothing.
      arrived.fire(undefined);
      registries = [{ id: 'reg1', name: 'mine' }] as OfferedValues['registries'];
      arrived.fire(undefined);
      await waitFor([requested.event] as unknown as vscode.Event<never>[], () => requests === before + 1);
    } finally {
      registered.dispose();
      await vscode.commands.executeCommand('hideSuggestWidget');
    }
  });
});
