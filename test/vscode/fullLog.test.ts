import assert from 'node:assert/strict';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setImmediate } from 'node:timers/promises';
import * as vscode from 'vscode';
import type { LogEntry, ReadableLog } from '../../src/features/logs/archive/readableLog.ts';
import { fullLogCommands } from '../../src/features/logs/fullLog/fullLogCommands.ts';
import { createFullLog, type FullLogParts } from '../../src/features/logs/fullLog/fullLogParts.ts';
import type { FullLogSource } from '../../src/features/logs/fullLog/fullLogStore.ts';
import type { LogSubject, ConnectedWorker } from '../../src/features/logs/model/logSubject.ts';
import type { LineFormat } from '../../src/features/logs/fullLog/model/pageText.ts';
import type { CommandId } from '../../src/kit/commandIds.ts';
import { DocumentShell } from '../../src/kit/documents/documentShell.ts';
import { Emitter } from '../../src/kit/emitter.ts';
import { writeSystemLine } from '../../src/contract/systemLines.ts';
import { entry, GeneratedLog, MemoryLog, sdkEntry, START, systemEntry } from '../features/logs/fullLog/memoryLog.ts';
import { steppedClock } from '../features/steppedClock.ts';
import { inputs } from './inputs.ts';
import { activated, nextEvent, waitFor } from './support.ts';

/** The extension itself uses the scheme of the product. */
const SCHEME = 'cloud-compute-log-test';
const subject: LogSubject = { connectionId: 'local', endpointId: 'e1', endpointName: 'hello', workerIds: ['w1'] };

type Window = { -readonly [Key in keyof typeof vscode.window]: (typeof vscode.window)[Key] };

describe('The full log of a worker', () => {
  const window = vscode.window as Window;
  const { showInputBox, showSaveDialog, setStatusBarMessage } = vscode.window;
  const channel = vscode.window.createOutputChannel('Test of full logs', { log: true });
  const changed = new Emitter<ConnectedWorker>();
  const formatChanged = new Emitter<void>();
  const steps = steppedClock();
  const messages: string[] = [];
  let logs: ReadableLog[] = [];
  let readLogs: FullLogSource['logs'] = () => logs;
  let format: LineFormat = { timestamps: 'utc' };
  let completing: FullLogSource['complete'] = () => Promise.resolve();
  let parts: FullLogParts;
  let registered: vscode.Disposable;

  before(async () => {
    await activated();
    const pages = new DocumentShell(SCHEME, undefined, () => Promise.resolve());
    registered = pages.register();
    parts = createFullLog({
      clock: steps.clock,
      log: channel,
      source: {
        logs: (of) => readLogs(of),
        onDidChange: changed.event,
        complete: (...args) => completing(...args),
      },
      colors: { remember: () => undefined },
      format: { current: () => format, onDidChange: formatChanged.event },
      pages,
    });
  });

  after(() => {
    parts.disposable.dispose();
    registered.dispose();
    channel.dispose();
  });

  beforeEach(async () => {
    await vscode.commands.executeCommand('workbench.action.closeAllEditors');
    completing = () => Promise.resolve();
    readLogs = () => logs;
    messages.length = 0;
    window.setStatusBarMessage = (text: string) => {
      messages.push(text);
      return new vscode.Disposable(() => undefined);
    };
  });

  afterEach(async () => {
    Object.assign(window, { showInputBox, showSaveDialog, setStatusBarMessage });
    await vscode.commands.executeCommand('workbench.action.closeAllEditors');
  });

  const lines = (name: string, count: number, start = START): LogEntry[] =>
    Array.from({ length: count }, (_, index) => entry(`${name} ${index}`, start + index * 1000));

  function active(): vscode.TextEditor {
    const editor = vscode.window.activeTextEditor;
    assert.ok(editor);
    return editor;
  }
  const nameOf = (editor = active()) => path.posix.basename(editor.document.uri.path);
  const isActive = (name: string) => vscode.window.activeTextEditor !== undefined && nameOf() === name;
  const views = [
    vscode.window.onDidChangeActiveTextEditor,
    vscode.window.onDidChangeTextEditorSelection,
    vscode.workspace.onDidChangeTextDocument,
  ] as vscode.Event<never>[];
  const rowsOf = (editor = active()) => editor.document.getText().split('\n');
  const cursorRow = (editor = active()) => rowsOf(editor)[editor.selection.active.line];

  async function run(id: CommandId): Promise<void> {
    const command = fullLogCommands(steps.clock, () => Promise.resolve(parts))[id];
    assert.ok(command);
    await command.run();
  }

  /** Lets the time pass until the visible documents are refreshed. */
  async function nextRefresh(): Promise<void> {
    const read = new AbortController();
    const subscription = parts.documents.onDidRead(() => read.abort());
    for (let turn = 0; turn < 1000 && !read.signal.aborted; turn++) {
      steps.advance(1000);
      await setImmediate();
    }
    subscription.dispose();
    assert.ok(read.signal.aborted, 'the documents were refreshed');
  }

  async function refreshed(): Promise<void> {
    changed.fire({ ...subject, workerId: 'w1' });
    await nextRefresh();
  }

  const typing = (text: string) => {
    const seen: { verdict?: unknown } = {};
    window.showInputBox = async (options?: vscode.InputBoxOptions) => {
      seen.verdict = await options?.validateInput?.(text);
      return text;
    };
    return seen;
  };

  const lensTitles = async (row: (lineCount: number) => number): Promise<string[]> => {
    const { document } = active();
    const lenses = await vscode.commands.executeCommand<vscode.CodeLens[]>(
      'vscode.executeCodeLensProvider',
      document.uri,
      100,
    );
    return lenses
      .filter(({ range }) => range.start.line === row(document.lineCount))
      .map(({ command }) => (command?.title ?? '').replaceAll(/\$\([\w-]+\)\s*/g, ''));
  };

  it('opens at the end of its newest page, in the language of logs', async () => {
    logs = [new MemoryLog('w1', lines('line', 25_000))];
    await parts.open(subject);
    assert.equal(nameOf(), 'hello w1 (page 3).log');
    assert.equal(active().document.languageId, 'cloud-compute-log');
    assert.equal(active().selection.active.line, active().document.lineCount - 1);
    const rows = rowsOf();
    assert.match(rows[0] ?? '', /^hello \/ w1 · lines from 20,481 · since 2026-11-22 /);
    assert.equal(rows.at(-2)?.slice(14), 'line 24999');
  });

  it('opens 2,000,000 lines with few reads', async () => {
    const log = new GeneratedLog('w1', 2_000_000, (line) => entry(`line ${line}`, START + line * 10));
    logs = [log];
    await parts.open(subject);
    assert.equal(rowsOf().at(-2)?.slice(14), 'line 1999999');
    assert.ok(log.blocksRead <= 120, `${log.blocksRead} blocks`);
  });

  it('moves between pages in the same tab', async () => {
    logs = [new MemoryLog('w1', lines('line', 25_000))];
    await parts.open(subject);
    await run('cloudCompute.fullLog.olderPage');
    assert.equal(nameOf(), 'hello w1 (page 2).log');
    assert.equal(active().selection.active.line, active().document.lineCount - 1);
    await run('cloudCompute.fullLog.oldestPage');
    assert.equal(nameOf(), 'hello w1 (page 1).log');
    assert.equal(active().selection.active.line, 0);
    await run('cloudCompute.fullLog.olderPage');
    assert.deepEqual(messages, ['This is the oldest page']);
    await run('cloudCompute.fullLog.newerPage');
    assert.equal(nameOf(), 'hello w1 (page 2).log');
    await run('cloudCompute.fullLog.newestPage');
    assert.equal(nameOf(), 'hello w1 (page 3).log');
    await run('cloudCompute.fullLog.newerPage');
    assert.equal(messages.at(-1), 'This is the newest page');
    assert.equal(vscode.window.tabGroups.all.flatMap(({ tabs }) => tabs).length, 1);
  });

  it('has its actions above and below the lines', async () => {
    logs = [new MemoryLog('w1', lines('line', 25_000))];
    await parts.open(subject);
    await run('cloudCompute.fullLog.olderPage');
    const moves = ['Page 2 of 3', 'First', 'Older Page', 'Newer Page', 'Last'];
    const tools = ['Go to Time…', 'Find…', 'Save As…'];
    assert.deepEqual(await lensTitles(() => 0), [...moves, ...tools]);
    assert.deepEqual(await lensTitles((count) => count - 1), [...moves, ...tools]);
    await run('cloudCompute.fullLog.newestPage');
    assert.deepEqual(await lensTitles(() => 0), [
      'Page 3 of 3 · lines 20,481–25,000 of 25,000',
      'First',
      'Older Page',
      ...tools,
    ]);
  });

  it('follows new lines while the cursor is at the end, at most once a second', async () => {
    const log = new MemoryLog('w1', lines('line', 10));
    logs = [log];
    await parts.open(subject);
    const reads = () => log.reads.length;
    log.append(...lines('new', 5, START + 20_000));
    await refreshed();
    const editor = active();
    await waitFor(views, () => {
      return (
        rowsOf().at(-2)?.endsWith('new 4') === true && editor.selection.active.line === editor.document.lineCount - 1
      );
    });
    const before = reads();
    for (let index = 0; index < 50; index++) {
      log.append(entry(`more ${index}`, START + 30_000 + index));
      changed.fire({ ...subject, workerId: 'w1' });
    }
    assert.equal(reads(), before);
    await refreshed();
    await waitFor(views, () => rowsOf().at(-2)?.endsWith('more 49'));
    assert.ok(reads() - before <= 2, `${reads() - before} reads`);
  });

  it('continues on a new page when the newest one is full', async () => {
    const log = new MemoryLog('w1', lines('line', 10_000));
    logs = [log];
    await parts.open(subject);
    assert.equal(nameOf(), 'hello w1 (page 1).log');
    log.append(...lines('new', 1000, START + 20_000_000));
    const shown = nextEvent(
      vscode.window.onDidChangeActiveTextEditor,
      (editor) => editor?.document.uri.scheme === SCHEME,
    );
    await refreshed();
    await shown;
    assert.equal(nameOf(), 'hello w1 (page 2).log');
  });

  it('keeps a cursor elsewhere at its line', async () => {
    const log = new MemoryLog('w1', lines('line', 100));
    logs = [log];
    await parts.open(subject);
    const editor = active();
    const moved = nextEvent(
      vscode.window.onDidChangeTextEditorSelection,
      ({ selections }) => selections[0]?.active.line === 50,
    );
    editor.selection = new vscode.Selection(50, 3, 50, 3);
    await moved;
    const text = cursorRow();
    log.append(...lines('new', 5, START + 200_000));
    const written = nextEvent(vscode.workspace.onDidChangeTextDocument, ({ document }) => document === editor.document);
    await refreshed();
    await written;
    assert.equal(cursorRow(), text);
    // Earlier lines move the line to another page.
    log.prepend(...lines('early', 15_000, START - 15_000_000));
    await refreshed();
    await waitFor(
      [
        vscode.window.onDidChangeTextEditorSelection,
        vscode.window.onDidChangeActiveTextEditor,
      ] as vscode.Event<never>[],
      () => isActive('hello w1 (page 2).log') && cursorRow() === text,
    );
  });

  const ways = {
    'the user': async () => {
      await vscode.commands.executeCommand('cursorTop');
      await vscode.commands.executeCommand('cursorDown');
    },
    'a command': async () => {
      typing('2026-11-22 10:42:05Z');
      await run('cloudCompute.fullLog.goToTime');
    },
  };
  for (const [mover, move] of Object.entries(ways)) {
    it(`leaves a cursor that ${mover} moves while new lines are being read`, async () => {
      const log = new MemoryLog('w1', lines('line', 100));
      logs = [log];
      await parts.open(subject);
      const editor = active();
      log.append(...lines('new', 5, START + 200_000));
      const [reading, held] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
      readLogs = () => {
        readLogs = () => logs;
        reading.resolve();
        return held.promise.then(() => logs);
      };
      changed.fire({ ...subject, workerId: 'w1' });
      steps.advance(1000);
      await reading.promise;
      await move();
      await waitFor(views, () => editor.selection.active.line < 50);
      const text = cursorRow();
      held.resolve();
      await waitFor(views, () => rowsOf().at(-2)?.endsWith('new 4'));
      // The next refresh starts after the one before it.
      log.append(entry('last', START + 300_000));
      await refreshed();
      await waitFor(views, () => rowsOf().at(-2)?.endsWith('last'));
      assert.equal(cursorRow(), text);
    });
  }

  it('reads the earlier lines while it is open, and shows the end of the log', async () => {
    const log = new MemoryLog('w1', lines('line', 100));
    log.isComplete = false;
    logs = [log];
    const { promise, resolve } = Promise.withResolvers<void>();
    completing = async () => {
      await promise;
      log.prepend(...lines('early', 15_000, START - 15_000_000));
      log.isComplete = true;
    };
    await parts.open(subject);
    assert.equal(nameOf(), 'hello w1 (page 1).log');
    assert.equal((await lensTitles(() => 0)).at(-1), 'Read Earlier Lines');
    resolve();
    await nextRefresh();
    await waitFor(views, () => isActive('hello w1 (page 2).log'));
    const titles = await lensTitles(() => 0);
    assert.match(titles[0] ?? '', / of 15,100$/);
    assert.equal(titles.at(-1), 'Save As…');
  });

  it('stays open if the earlier lines cannot be read, and says so once', async () => {
    logs = [new MemoryLog('w1', lines('line', 3))];
    completing = () => Promise.reject(new Error('the network failed'));
    const shown = Promise.withResolvers<string>();
    const { showErrorMessage } = vscode.window;
    window.showErrorMessage = (message: string) => {
      shown.resolve(message);
      return Promise.resolve(undefined as never);
    };
    try {
      await parts.open(subject);
      assert.equal(await shown.promise, 'Could not read the earlier lines of the log: the network failed');
      assert.equal(rowsOf().at(-2)?.slice(14), 'line 2');
    } finally {
      window.showErrorMessage = showErrorMessage;
    }
  });

  it('reads earlier lines once at a time', async () => {
    logs = [new MemoryLog('w1', lines('line', 3))];
    let reads = 0;
    const { promise, resolve } = Promise.withResolvers<void>();
    completing = () => {
      reads++;
      return promise;
    };
    await parts.open(subject);
    await parts.open(subject);
    const reading = run('cloudCompute.fullLog.readEarlierLines');
    resolve();
    await reading;
    assert.equal(reads, 1);
  });

  it('goes to a time and selects the line', async () => {
    logs = [new MemoryLog('w1', lines('line', 25_000))];
    await parts.open(subject);
    const seen = typing('2026-11-22 10:45:05Z');
    await run('cloudCompute.fullLog.goToTime');
    assert.match((seen.verdict as { message: string }).message, /2026-11-22|today/);
    assert.equal(nameOf(), 'hello w1 (page 1).log');
    assert.equal(active().document.getText(active().selection), 'line 180');
    assert.equal(typeof typing('soon').verdict, 'undefined');
    const wrong = typing('soon');
    await run('cloudCompute.fullLog.goToTime');
    assert.match(String(wrong.verdict), /^Enter a time/);
    const late = typing('2099-01-01 00:00Z');
    await run('cloudCompute.fullLog.goToTime');
    assert.match((late.verdict as { message: string }).message, /after the last line$/);
    assert.equal(nameOf(), 'hello w1 (page 3).log');
  });

  it('lists the lines that match, and selects the match of the chosen one', async () => {
    logs = [
      new MemoryLog('w1', [
        ...lines('line', 12_000),
        entry('a Needle here', START + 13_000_000),
        ...lines('x', 5, START + 14_000_000),
        entry('needle', START + 15_000_000),
      ]),
    ];
    await parts.open(subject);
    await run('cloudCompute.fullLog.oldestPage');
    const seen = typing('needle');
    const ui = inputs();
    try {
      const finding = run('cloudCompute.fullLog.find');
      const page = await ui.page('Find “needle”: 0 lines');
      steps.advance(10_000);
      assert.deepEqual(await page.loaded('12,007 · 14:52:05'), [
        '2026-11-22',
        '12,001 · 14:18:45',
        '12,007 · 14:52:05',
      ]);
      assert.equal(seen.verdict, undefined);
      assert.deepEqual(page.descriptions(), ['', 'a Needle here', 'needle']);
      await page.choose('12,001 · 14:18:45');
      await finding;
    } finally {
      ui.done();
    }
    assert.equal(nameOf(), 'hello w1 (page 2).log');
    assert.equal(active().document.getText(active().selection), 'Needle');
    await run('cloudCompute.fullLog.findNext');
    assert.equal(active().document.getText(active().selection), 'needle');
    await run('cloudCompute.fullLog.findNext');
    assert.deepEqual(messages, ['No later line matches']);
    await run('cloudCompute.fullLog.findPrevious');
    assert.equal(active().document.getText(active().selection), 'Needle');
  });

  it('searches again from a list without lines, and ends a search that the user leaves', async () => {
    logs = [new GeneratedLog('w1', 500_000, (line) => entry(`line ${line}`, START + line))];
    await parts.open(subject);
    const searches = ['absent', 'line'];
    const proposals: (string | undefined)[] = [];
    window.showInputBox = (options?: vscode.InputBoxOptions) => {
      proposals.push(options?.value);
      return Promise.resolve(searches.shift());
    };
    const ui = inputs();
    try {
      const finding = run('cloudCompute.fullLog.find');
      const empty = await ui.page('Find “absent”: 0 lines');
      await empty.back();
      const page = await ui.page('Find “line”: 0 lines');
      await page.leave();
      await finding;
    } finally {
      ui.done();
    }
    assert.deepEqual(proposals.slice(1), ['absent']);
    assert.equal(nameOf(), 'hello w1 (page 49).log');
  });

  it('refuses an expression that takes too long', async () => {
    const slow = `${'a'.repeat(60)}b`;
    logs = [new GeneratedLog('w1', 100_000, (line) => entry(slow, START + line))];
    await parts.open(subject);
    typing('/^(a+)+$/');
    const ui = inputs();
    try {
      await assert.rejects(run('cloudCompute.fullLog.find'), /the expression takes too long/);
    } finally {
      ui.done();
    }
  });

  it('saves all lines, in the format of the file name', async () => {
    logs = [new MemoryLog('w1', lines('line', 25_000))];
    await parts.open(subject);
    const folder = await mkdtemp(path.join(tmpdir(), 'cloud-compute-save-'));
    try {
      for (const name of ['a.log', 'a.jsonl']) {
        window.showSaveDialog = () => Promise.resolve(vscode.Uri.file(path.join(folder, name)));
        await run('cloudCompute.fullLog.saveAs');
      }
      assert.deepEqual((await readdir(folder)).sort(), ['a.jsonl', 'a.log']);
      const [text, json] = await Promise.all(
        ['a.log', 'a.jsonl'].map((name) => readFile(path.join(folder, name), 'utf8')),
      );
      assert.equal(text?.split('\n').filter((row) => row.includes('line ')).length, 25_000);
      assert.equal(json?.trimEnd().split('\n').length, 25_000);
      assert.deepEqual(messages, ['$(check) 25,000 lines saved', '$(check) 25,000 lines saved']);
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  });

  it('folds jobs and starts, and has them in its outline', async () => {
    const system = (line: Parameters<typeof writeSystemLine>[0], at: number) => systemEntry(writeSystemLine(line), at);
    logs = [
      new MemoryLog('w1', [
        system({ kind: 'created', workerId: 'w1', endpoint: 'e1' }, START),
        system({ kind: 'ready' }, START + 1000),
        sdkEntry('job-1-and-more', 'begins', START + 2000),
        sdkEntry('job-1-and-more', 'ends', START + 5000),
        system({ kind: 'failedSilently', how: 'exited with code 1', seconds: 6 }, START + 6000),
        system({ kind: 'created', workerId: 'w1', endpoint: 'e1' }, START + 7000),
      ]),
    ];
    await parts.open(subject);
    const { uri } = active().document;
    const symbols = await vscode.commands.executeCommand<vscode.DocumentSymbol[]>(
      'vscode.executeDocumentSymbolProvider',
      uri,
    );
    assert.deepEqual(
      symbols.map(({ name, detail, children }) => [name, detail, children.map((child) => child.name)]),
      [
        ['Start 1', '10:42:05', ['Created', 'Ready', 'Job job-1-an', 'Failed']],
        ['Start 2', '10:42:12', ['Created']],
      ],
    );
    assert.equal(symbols[0]?.children[2]?.detail, '10:42:07 · 3 s');
    const folds = await vscode.commands.executeCommand<vscode.FoldingRange[]>(
      'vscode.executeFoldingRangeProvider',
      uri,
    );
    assert.deepEqual(
      folds.map(({ start, end }) => [start, end]),
      [
        [2, 6],
        [4, 5],
      ],
    );
  });

  it('writes its lines in another format on request', async () => {
    logs = [new MemoryLog('w1', lines('line', 3))];
    await parts.open(subject);
    const { document } = active();
    const written = nextEvent(vscode.workspace.onDidChangeTextDocument, (event) => event.document === document);
    format = { timestamps: 'off' };
    formatChanged.fire();
    await nextRefresh();
    await written;
    assert.equal(rowsOf()[1]?.trim(), 'line 0');
    format = { timestamps: 'utc' };
  });

  it('says why it is empty, and shows the first lines as they come', async () => {
    const log = new MemoryLog('w1');
    logs = [log];
    await parts.open(subject);
    assert.match(rowsOf().join(' '), /no lines The workers have not written any lines yet/);
    assert.deepEqual(await lensTitles(() => 0), ['Page 1 of 1']);
    log.append(...lines('first', 1));
    const { document } = active();
    const written = nextEvent(vscode.workspace.onDidChangeTextDocument, (event) => event.document === document);
    await refreshed();
    await written;
    assert.equal(rowsOf().at(-2)?.slice(14), 'first 0');
  });

  it('says that a page no longer exists, with a way to the newest one', async () => {
    logs = [];
    const uri = parts.documents.pageUri({ subject, page: 7, part: 0 });
    await vscode.window.showTextDocument(await vscode.workspace.openTextDocument(uri));
    assert.deepEqual(rowsOf(), [
      'hello / w1 · page 8 no longer exists',
      'The log has 1 page now. Select “Last” above for its newest lines.',
      '',
    ]);
    assert.ok((await lensTitles(() => 0)).includes('Last'));
    logs = [new MemoryLog('w1', lines('line', 3))];
    await run('cloudCompute.fullLog.newestPage');
    assert.equal(nameOf(), 'hello w1 (page 1).log');
  });

  it('is read-only', async () => {
    logs = [new MemoryLog('w1', lines('line', 3))];
    await parts.open(subject);
    const edit = new vscode.WorkspaceEdit();
    edit.insert(active().document.uri, new vscode.Position(0, 0), 'x');
    await vscode.workspace.applyEdit(edit);
    await assert.rejects(async () => {
      await vscode.workspace.fs.writeFile(active().document.uri, new Uint8Array());
    });
    await vscode.commands.executeCommand('workbench.action.revertAndCloseActiveEditor');
  });
});
