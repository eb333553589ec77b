import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import * as z from 'zod';
import type { Clock } from '../../src/client/clock.ts';
import { DocumentAddresses } from '../../src/kit/documents/address.ts';
import { Documents } from '../../src/kit/documents/documents.ts';
import { Reports } from '../../src/kit/documents/reports.ts';
import { codeLens } from '../../src/kit/marks.ts';
import { formatted } from '../../src/text/markdown.ts';
import { UserError } from '../../src/kit/userError.ts';
import { nextEvent, waitFor } from './support.ts';

interface Sample {
  readonly text: string;
  readonly isLive?: boolean;
  readonly note?: string;
}

const addresses = new DocumentAddresses('kit-test', z.object({ id: z.string() }), () => '.txt');

describe('Virtual documents', () => {
  const texts = new Map<string, Sample>();
  const timers: (() => void)[] = [];
  const saved: string[] = [];
  let reads: string[] = [];
  const clock: Clock = {
    now: () => 1_000,
    sleep: () => Promise.reject(new Error('not used')),
    after: (_ms, action) => {
      timers.push(action);
      return () => void timers.splice(timers.indexOf(action), 1);
    },
  };
  let documents: Documents<{ id: string }, Sample>;
  let registered: vscode.Disposable;

  before(() => {
    documents = new Documents<{ id: string }, Sample>({
      addresses,
      clock,
      read: ({ id }) => {
        reads.push(id);
        if (id === 'failing') throw new UserError('no [link](command:x)');
        return texts.get(id);
      },
      writer: ({ id }) =>
        id === 'writable'
          ? (uri, text) => {
              saved.push(text);
              documents.put(uri, { text });
              return Promise.resolve();
            }
          : undefined,
      lenses: ({ note }, { lineCount }, { id }) =>
        note === undefined
          ? []
          : [codeLens(0, { title: `${note} ${lineCount} ${id}`, tooltip: '', command: 'workbench.action.files.save' })],
    });
    registered = documents.register();
  });

  beforeEach(async () => {
    await vscode.commands.executeCommand('workbench.action.closeAllEditors');
    texts.clear();
    reads = [];
  });

  after(async () => {
    await vscode.commands.executeCommand('workbench.action.closeAllEditors');
    registered.dispose();
  });

  async function show(id: string, text: string, more: Omit<Sample, 'text'> = {}): Promise<vscode.TextDocument> {
    texts.set(id, { text, ...more });
    const document = await vscode.workspace.openTextDocument(documents.uriOf({ id }, id));
    await vscode.window.showTextDocument(document, { preview: false });
    return document;
  }

  const becomes = (document: vscode.TextDocument, text: string) =>
    waitFor([vscode.workspace.onDidChangeTextDocument] as vscode.Event<never>[], () => document.getText() === text);

  async function hide(uri: vscode.Uri): Promise<void> {
    await vscode.commands.executeCommand('workbench.action.closeActiveEditor');
    await waitFor(
      [vscode.window.tabGroups.onDidChangeTabs, vscode.workspace.onDidCloseTextDocument] as vscode.Event<never>[],
      () => documents.contentOf(uri) === undefined,
    );
  }

  it('are read once, and are read-only', async () => {
    const { uri } = await show('once', 'a text');
    assert.equal(new TextDecoder().decode(await vscode.workspace.fs.readFile(uri)), 'a text');
    const { permissions, size } = await vscode.workspace.fs.stat(uri);
    assert.deepEqual([permissions, size, reads], [vscode.FilePermission.Readonly, 6, ['once']]);
    await assert.rejects(async () => vscode.workspace.fs.writeFile(uri, new Uint8Array()), /NoPermissions/);
    await assert.rejects(async () => vscode.workspace.fs.delete(uri), /NoPermissions/);
  });

  it('show a new content, and keep it when their sources fail', async () => {
    const document = await show('updated', 'first');
    documents.put(document.uri, { text: 'second' });
    await becomes(document, 'second');
    texts.set('updated', { text: 'third' });
    await documents.refresh(document.uri);
    await becomes(document, 'third');
    texts.delete('updated');
    await assert.rejects(documents.refresh(document.uri), vscode.FileSystemError);
    assert.equal(documents.contentOf(document.uri)?.text, 'third');
  });

  it('are read again after they were hidden', async () => {
    const { uri } = await show('hidden', 'before');
    await hide(uri);
    await show('hidden', 'after');
    assert.deepEqual(reads, ['hidden', 'hidden']);
    assert.equal(documents.contentOf(uri)?.text, 'after');
  });

  it('are read again by each check of the editor only while they are live', async () => {
    const { uri } = await show('live', '1', { isLive: true });
    reads = [];
    texts.set('live', { text: '2' });
    await vscode.workspace.fs.stat(uri);
    assert.equal(documents.contentOf(uri)?.text, '2');
    await vscode.workspace.fs.stat(uri);
    assert.deepEqual(reads, ['live']);
  });

  it('are read again once after a pause, unless they were hidden', async () => {
    const document = await show('soon', '1');
    texts.set('soon', { text: '2' });
    reads = [];
    for (let call = 0; call < 3; call++) documents.refreshSoon(document.uri, 100);
    assert.deepEqual([timers.length, reads], [1, []]);
    timers.shift()?.();
    await becomes(document, '2');
    assert.deepEqual(reads, ['soon']);
    documents.refreshSoon(document.uri, 100);
    await hide(document.uri);
    timers.shift()?.();
    assert.deepEqual([timers.length, reads], [0, ['soon']]);
  });

  it('can be saved where they are writable', async () => {
    const document = await show('writable', 'a');
    const edit = new vscode.WorkspaceEdit();
    edit.insert(document.uri, new vscode.Position(0, 1), 'b');
    await vscode.workspace.applyEdit(edit);
    assert.ok(await document.save());
    assert.deepEqual(saved, ['ab']);
    assert.equal(documents.contentOf(document.uri)?.text, 'ab');
  });

  it('stay known while their tab is behind another one', async () => {
    const document = await show('other', 'a');
    await show('front', 'b');
    assert.equal(documents.contentOf(document.uri)?.text, 'a');
    // The editor can report the closed tabs of other tests late.
    const known = documents.known.map(({ address: { id } }) => id);
    assert.ok(known.includes('front') && known.includes('other'), known.join());
  });

  it('have the actions of their content', async () => {
    const { uri } = await show('actions', 'a\nb', { note: 'first' });
    const titles = async () => {
      const lenses = await vscode.commands.executeCommand<vscode.CodeLens[]>('vscode.executeCodeLensProvider', uri);
      return lenses.map(({ command }) => command?.title);
    };
    assert.deepEqual(await titles(), ['first 2 actions']);
    const read = nextEvent(documents.onDidRead);
    documents.put(uri, { text: 'a\nb', note: 'second' });
    await read;
    assert.deepEqual(await titles(), ['second 2 actions']);
  });

  it('do not exist at other addresses, such as the settings of their folder', async () => {
    const { uri } = await show('folder', 'a');
    const others = [
      uri.with({ path: '/.vscode/settings.json' }),
      uri.with({ path: '/settings.json' }),
      uri.with({ query: 'absent' }),
      uri.with({ query: '' }),
      uri.with({ authority: 'elsewhere' }),
    ];
    for (const other of others)
      await assert.rejects(async () => vscode.workspace.fs.readFile(other), { code: 'FileNotFound' }, String(other));
    assert.equal(documents.addressOf(uri.with({ fragment: 'L1' }))?.id, 'folder');
  });

  it('report a failed read with a message that is safe to show', async () => {
    const uri = documents.uriOf({ id: 'failing' }, 'failing');
    await assert.rejects(documents.load(uri), UserError);
    await assert.rejects(
      async () => vscode.workspace.fs.readFile(uri),
      /Could not read the document: no \[link\] \(command:x\)/,
    );
  });
});

describe('Reports', () => {
  const clock: Clock = { now: () => 1_000, sleep: () => Promise.reject(new Error('not used')) };
  const gone = formatted`This report is gone.`;
  let reports: Reports;
  let registered: vscode.Disposable;
  const textOf = async (uri: vscode.Uri) => new TextDecoder().decode(await vscode.workspace.fs.readFile(uri));

  before(() => {
    reports = new Reports({ scheme: 'kit-reports', gone, whyReadonly: formatted`A report.`, clock });
    registered = reports.register();
  });

  after(() => {
    registered.dispose();
  });

  it('have names of their own and are still there after they were closed', async () => {
    const [first, second] = [reports.add('estimate', formatted`# One`), reports.add('rows', 'two')];
    assert.match(first.path, /\/estimate\.md$/);
    assert.match(second.path, /\/rows\.txt$/);
    assert.notEqual(reports.add('rows', 'three').toString(), second.toString());
    await vscode.window.showTextDocument(first);
    await vscode.commands.executeCommand('workbench.action.closeAllEditors');
    assert.deepEqual([await textOf(first), await textOf(second)], ['# One\n', 'two\n']);
  });

  it('say that they are gone after a restart of the editor, or after many others', async () => {
    const oldest = reports.add('rows', 'oldest');
    for (let count = 0; count < 20; count++) reports.add('rows', 'newer');
    assert.equal(await textOf(oldest), 'This report is gone.\n');
    assert.equal(await textOf(oldest.with({ path: '/estimate.md', query: '~7/md' })), 'This report is gone.\n');
  });
});
