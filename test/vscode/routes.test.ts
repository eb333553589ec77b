import assert from 'node:assert/strict';
import path from 'node:path';
import * as vscode from 'vscode';
import { systemClock } from '../../src/client/clock.ts';
import { RequestHistoryStore } from '../../src/features/requests/history/requestHistoryStore.ts';
import { RequestTreeProvider } from '../../src/features/requests/history/requestView.ts';
import { ExchangeStore } from '../../src/features/requests/send/exchangeStore.ts';
import { emptyPlatform } from './emptyPlatform.ts';
import { activated, nextEvent, stubbed, waitFor, workspaceFolder } from './support.ts';

const NAME = 'routes-test';
const SCHEME = 'cloud-compute-response';

const REQUESTS = [
  ['json', 'GET', '/json'],
  ['events', 'GET', '/events'],
  ['next', 'POST', '/next'],
  ['image', 'GET', '/image'],
  ['binary', 'GET', '/binary'],
  ['error', 'GET', '/error'],
  ['cut', 'GET', '/cut'],
  ['socket', 'WEBSOCKET', '/socket'],
  ['text', 'GET', '/text'],
  ['ticks', 'GET', '/ticks'],
  ['chat', 'POST', '/v1/chat/completions'],
] as const;

type Name = (typeof REQUESTS)[number][0];

/** Sends requests to a worker on the local platform. The timeout allows for a slow start of processes. */
describe('Requests to a load-balanced endpoint', function () {
  let file: vscode.Uri;

  before(async () => {
    const { extensionPath } = await activated();
    await vscode.commands.executeCommand('cloudCompute.localPlatform.start');
    const manifest = vscode.Uri.joinPath(workspaceFolder(), 'routes.endpoint.yaml');
    await write(
      manifest,
      [
        `name: ${NAME}`,
        'type: LOAD_BALANCER',
        'scaling: { type: REQUEST_COUNT, requestCount: 10 }',
        'workers: { min: 0, max: 1 }',
        'image: registry.example.com/routes:1.0',
        'cpu: [{ id: cpu3c, vcpuCount: 2 }]',
        'disk: 5',
        'x-local:',
        `  directory: ${path.relative(workspaceFolder().fsPath, path.join(extensionPath, 'test/features/requests/fixtures'))}`,
        '  command: node server.mjs',
        '',
      ].join('\n'),
    );
    await vscode.commands.executeCommand('cloudCompute.manifest.createEndpoint', manifest);
    file = vscode.Uri.joinPath(workspaceFolder(), 'routes.http');
    const blocks = REQUESTS.map(([name, method, route]) => `### ${name}\n${method} {{endpoint:${NAME}}}${route}\n`);
    await write(file, blocks.join('\n').replace('/socket\n', '/socket\n\none\n===\ntwo\n'));
  });

  afterEach(async () => {
    await vscode.commands.executeCommand('workbench.action.closeAllEditors');
    await vscode.commands.executeCommand('notifications.clearAll');
  });

  after(async () => {
    await emptyPlatform();
  });

  const send = (name: Name) =>
    vscode.commands.executeCommand(
      'cloudCompute.routes.send',
      file,
      REQUESTS.findIndex(([one]) => one === name),
    );

  /** Resolves with the editor of a response once its text matches. */
  const response = (pattern: RegExp) =>
    waitFor(editorEvents(), () =>
      vscode.window.visibleTextEditors.find(
        ({ document }) => document.uri.scheme === SCHEME && pattern.test(document.getText()),
      ),
    );

  it('wait for a worker to start, and show the response', async () => {
    await send('json');
    const { document } = await response(/"greeting": "hello"/);
    assert.match(document.getText(), /^HTTP\/1\.1 200 OK\n# 200 OK · .*first byte .* · 28 B · worker /);
    assert.match(document.getText(), /\nset-cookie: session=abc\n/);
    assert.ok(!/authorization/i.test(document.getText()));
    assert.equal(vscode.workspace.fs.isWritableFileSystem(SCHEME), false);
    assert.match(document.uri.path, /\/json\.response\.http$/);
  });

  it('are sent at the cursor', async () => {
    const document = await vscode.workspace.openTextDocument(file);
    const position = document.positionAt(document.getText().indexOf('### text') + 4);
    await vscode.window.showTextDocument(document, { selection: new vscode.Range(position, position) });
    await vscode.commands.executeCommand('cloudCompute.routes.send');
    await response(/\n\nhällo$/);
  });

  it('show a stream while it arrives, keep its end in view, and can be canceled', async () => {
    const sent = send('events');
    const { document } = await response(/data: one/);
    const { uri } = document;
    // Without a tab of its own, the response to the next request takes its place.
    await vscode.window.showTextDocument(document, { viewColumn: vscode.ViewColumn.Beside, preview: false });
    await vscode.commands.executeCommand('cloudCompute.routes.send', file, 2);
    const streaming = await waitFor(editorEvents(), () =>
      vscode.workspace.textDocuments.find(
        (one) => one.uri.toString() === uri.toString() && one.getText().includes('data: 2'),
      ),
    );
    assert.match(streaming.getText(), /receiving…/);
    const lenses = await vscode.commands.executeCommand<vscode.CodeLens[]>('vscode.executeCodeLensProvider', uri);
    assert.ok(lenses.some(({ command }) => command?.command === 'cloudCompute.routes.cancel'));
    await vscode.commands.executeCommand('cloudCompute.routes.cancel', uri);
    await sent;
    await waitFor(editorEvents(), () => streaming.getText().includes('was canceled.'));
    assert.match(streaming.getText(), /data: one\n\ndata: 2/);
  });

  it('follow the end of a stream while the cursor is there', async () => {
    const sent = send('ticks');
    const { document, selection } = await response(/data: 0/);
    const events = editorEvents();
    const editor = () => vscode.window.visibleTextEditors.find((one) => one.document === document);
    const line = () => editor()?.selection.active.line ?? 0;
    await waitFor(events, () => line() > selection.active.line + 10);
    await vscode.window.showTextDocument(document, editor()?.viewColumn);
    await vscode.commands.executeCommand('cursorTop');
    const count = document.lineCount;
    await waitFor(events, () => document.lineCount > count + 10);
    assert.equal(line(), 0, 'a cursor elsewhere stays in place');
    await vscode.commands.executeCommand('cloudCompute.routes.cancel', document.uri);
    await sent;
  });

  it('show images beside the response', async () => {
    await send('image');
    await response(/# Image \(image\/png/);
    const tab = vscode.window.tabGroups.all
      .flatMap(({ tabs }) => tabs)
      .find(({ input }) => input instanceof vscode.TabInputCustom && input.uri.scheme === SCHEME);
    const { uri } = tab?.input as vscode.TabInputCustom;
    assert.match(uri.path, /\.body\.png$/);
    assert.deepEqual([...(await vscode.workspace.fs.readFile(uri)).subarray(1, 4)], [...Buffer.from('PNG')]);
  });

  it('save the exact bytes of a body', async () => {
    await send('binary');
    const { document } = await response(/# Binary content \(application\/octet-stream, 4 B\)/);
    const target = vscode.Uri.joinPath(workspaceFolder(), 'saved.bin');
    await stubbed({ showSaveDialog: () => Promise.resolve(target) }, () =>
      vscode.commands.executeCommand('cloudCompute.routes.saveBody', document.uri),
    );
    assert.deepEqual([...(await vscode.workspace.fs.readFile(target))], [0, 255, 1, 254]);
  });

  it('show errors of the worker, and the received part of a response that is cut', async () => {
    await send('error');
    await response(/# bad prompt: the prompt is empty\n# The worker sent this error/);
    await send('cut');
    await response(/# The connection closed before the end of the response[^]*\n\nbegun$/);
  });

  it('can be sent again and found in their file', async () => {
    await send('json');
    const { document } = await response(/"greeting"/);
    await vscode.commands.executeCommand('cloudCompute.routes.sendAgain', document.uri);
    await waitFor(editorEvents(), () =>
      vscode.workspace.textDocuments.some(
        ({ uri }) => uri.path.endsWith('json.response.http') && uri.query !== document.uri.query,
      ),
    );
    await vscode.commands.executeCommand('cloudCompute.routes.openRequest', document.uri);
    const editor = vscode.window.activeTextEditor;
    assert.equal(editor?.document.uri.toString(), file.toString());
    assert.match(editor.document.lineAt(editor.selection.active.line).text, /^GET .*\/json$/);
  });

  it('appear in the history, from which they can be opened', async () => {
    await send('text');
    const { document } = await response(/hällo/);
    const requestId = document.uri.query.split('/')[1];
    await vscode.commands.executeCommand('workbench.action.closeAllEditors');
    await vscode.commands.executeCommand('cloudCompute.routes.openResponse', { kind: 'request', requestId });
    await response(/hällo/);
    await vscode.commands.executeCommand('cloudCompute.routes.remove', { kind: 'request', requestId });
    const gone = await vscode.workspace.openTextDocument(
      document.uri.with({ path: document.uri.path.replace('/text.', '/again.') }),
    );
    assert.match(gone.getText(), /no longer in the list/);
  });

  it('wait while no worker is ready, and can be canceled then', async () => {
    const wait = vscode.Uri.joinPath(workspaceFolder(), 'paused.endpoint.yaml');
    await write(
      wait,
      [
        'name: routes-paused',
        'type: LOAD_BALANCER',
        'scaling: { type: REQUEST_COUNT, requestCount: 10 }',
        'workers: { min: 0, max: 0 }',
        'image: registry.example.com/routes:1.0',
        'cpu: [{ id: cpu3c, vcpuCount: 2 }]',
        'disk: 5',
        'x-local:',
        '  directory: hello',
        '  command: node server.mjs',
        '',
      ].join('\n'),
    );
    await vscode.commands.executeCommand('cloudCompute.manifest.createEndpoint', wait);
    const requests = vscode.Uri.joinPath(workspaceFolder(), 'paused.http');
    await write(requests, '### paused\nGET {{endpoint:routes-paused}}/json\n');
    const messages = Promise.withResolvers<void>();
    const { withProgress } = vscode.window;
    type Task = Parameters<typeof withProgress>[1];
    const watched = (options: vscode.ProgressOptions, task: Task) =>
      withProgress(options, (progress, token) =>
        task(
          {
            report: (value: { message?: string }) => {
              progress.report(value);
              if ((value.message ?? '').includes('waiting: the endpoint is paused')) messages.resolve();
            },
          },
          token,
        ),
      );
    await stubbed({ withProgress: watched }, async () => {
      const sent = vscode.commands.executeCommand('cloudCompute.routes.send', requests, 0);
      await messages.promise;
      await vscode.commands.executeCommand('cloudCompute.routes.cancel');
      await sent;
    });
    assert.ok(!vscode.workspace.textDocuments.some(({ uri }) => uri.path.endsWith('/paused.response.http')));
  });

  it('open WebSockets, whose messages are shown and sent', async () => {
    const sent = send('socket');
    const { document } = await response(/→ 3 B {2}one\n[^]*→ 3 B {2}two\n/);
    assert.match(document.uri.path, /\.websocket\.log$/);
    await stubbed({ showInputBox: () => Promise.resolve('three') }, () =>
      vscode.commands.executeCommand('cloudCompute.routes.sendMessage', document.uri),
    );
    await response(/← 5 B {2}three\n/);
    await vscode.commands.executeCommand('cloudCompute.routes.closeSocket', document.uri);
    await sent;
    await response(/· closed · [^]*# closed with 1000/);
  });

  it('show the answer of a chat as text', async () => {
    await send('chat');
    await response(/\n\nHello, you!\n\n# finish reason: stop · 3 prompt tokens[^]*### Events/);
  });

  it('show where a request is invalid', async () => {
    const wrong = vscode.Uri.joinPath(workspaceFolder(), 'wrong.http');
    await write(wrong, '###\nGET {{endpoint:nowhere}}/json\n');
    const opened = nextEvent(vscode.window.onDidChangeActiveTextEditor, (editor) => editor !== undefined);
    await vscode.commands.executeCommand('cloudCompute.routes.send', wrong, 0);
    await opened;
    assert.equal(vscode.window.activeTextEditor?.selection.active.line, 1);
  });
});

/** Events after which an editor of a response can have changed. */
function editorEvents(): readonly vscode.Event<never>[] {
  const events: readonly vscode.Event<unknown>[] = [
    vscode.workspace.onDidChangeTextDocument,
    vscode.workspace.onDidOpenTextDocument,
    vscode.window.onDidChangeVisibleTextEditors,
    vscode.window.onDidChangeTextEditorSelection,
  ];
  return events as readonly vscode.Event<never>[];
}

async function write(uri: vscode.Uri, text: string): Promise<void> {
  await vscode.workspace.fs.writeFile(uri, new TextEncoder().encode(text));
}

describe('The requests view', () => {
  it('lists the requests of the connection, newest first, with their state', async () => {
    const state = new Map<string, unknown>();
    const storage = {
      keys: () => [...state.keys()],
      get: (key: string) => state.get(key),
      update: (key: string, value: unknown) => Promise.resolve(void state.set(key, value)),
    };
    const requests = new RequestHistoryStore(storage);
    const exchanges = new ExchangeStore();
    const connections = { profile: { id: 'c' } } as never;
    const provider = new RequestTreeProvider({
      requests,
      exchanges,
      connections,
      clock: { ...systemClock, now: () => 60_000 },
    });
    const target = { endpointId: 'e', endpointName: 'hello', endpointType: 'LOAD_BALANCER' } as const;
    const request = { ...target, method: 'GET', path: '/a' } as const;
    const running = exchanges.start(
      { ...request, name: undefined, headers: [], body: undefined },
      { connectionId: 'c', file: undefined },
      0,
    );
    await requests.put('c', { ...request, id: '1', sentAt: 0, end: 'complete', status: 200, totalMs: 5 });
    await requests.put('c', { ...request, id: running.id, sentAt: 0, path: '/[x](command:y)' });
    const rows = provider.getChildren().map((node) => provider.getTreeItem(node));
    assert.deepEqual(
      rows.map(({ label, description, contextValue }) => [label, description, contextValue]),
      [
        ['GET /[x] (command:y)', 'waiting…', 'request.active'],
        ['GET /a', '200 · 5 ms · 1 min ago', 'request'],
      ],
    );
  });
});
