import assert from 'node:assert/strict';
import { once } from 'node:events';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import * as vscode from 'vscode';
import { WebSocketServer, type WebSocket } from 'ws';
import { createClient } from '../../src/client/client.ts';
import { contextOf } from '../../src/client/context.ts';
import { terminalPath, TerminalSize, type TerminalEnd } from '../../src/contract/control/terminal.ts';
import { openWorkerTerminal as openRowTerminal } from '../../src/features/local/develop/developCommands.ts';
import { openWorkerShell } from '../../src/features/local/develop/workerShell.ts';
import { nextEvent, stubbed, waitFor } from './support.ts';

/** A shell of the platform in this test. */
class Shell {
  /** Path and query of the request. */
  readonly url: string;
  /** Bytes that the editor has sent, as text. */
  input = '';
  readonly sizes: TerminalSize[] = [];
  readonly closed: Promise<unknown>;
  readonly changed = new vscode.EventEmitter<void>();
  readonly #socket: WebSocket;

  constructor(socket: WebSocket, url: string) {
    this.#socket = socket;
    this.url = url;
    this.closed = once(socket, 'close');
    socket.on('message', (data: Buffer, isBinary) => {
      if (isBinary) this.input += data.toString();
      else this.sizes.push(TerminalSize.parse(JSON.parse(data.toString())));
      this.changed.fire();
    });
  }

  write(bytes: Uint8Array | string): void {
    this.#socket.send(Buffer.from(bytes));
  }

  end(event: TerminalEnd): void {
    this.#socket.send(JSON.stringify(event));
    this.#socket.close();
  }

  /** Ends the connection without an event. */
  lose(): void {
    this.#socket.terminate();
  }
}

/** A platform that only offers terminals. */
class TerminalPlatform {
  /** Status of a refusal. Default: terminals are opened. */
  refusal: number | undefined;
  /** Opens terminals only after this is settled. */
  delay: Promise<void> = Promise.resolve();
  readonly shells: Shell[] = [];
  readonly #opened = new vscode.EventEmitter<void>();
  readonly #sockets = new WebSocketServer({ noServer: true });
  readonly #server = http.createServer();

  async start(): Promise<void> {
    this.#server.on('upgrade', (request, socket, head) => {
      void this.delay.then(() => {
        if (this.refusal !== undefined) {
          socket.end(`HTTP/1.1 ${this.refusal} Refused\r\nContent-Length: 0\r\nConnection: close\r\n\r\n`);
          return;
        }
        this.#sockets.handleUpgrade(request, socket, head, (opened) => {
          this.shells.push(new Shell(opened, request.url ?? ''));
          this.#opened.fire();
        });
      });
    });
    await once(this.#server.listen(0, '127.0.0.1'), 'listening');
  }

  async stop(): Promise<void> {
    this.shells.forEach((shell) => shell.lose());
    this.#server.closeAllConnections();
    await once(this.#server.close(), 'close');
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** Resolves with the shell with this number, which begins at 1. */
  shell(number: number): Promise<Shell> {
    return waitFor([this.#opened.event as vscode.Event<never>], () => this.shells[number - 1]);
  }
}

/** A terminal of the editor, with the text that it received. */
interface ShownTerminal {
  readonly terminal: vscode.Terminal;
  readonly pty: vscode.Pseudoterminal;
  readonly text: () => string;
  /** Resolves once the text contains this one. */
  readonly shows: (part: string) => Promise<unknown>;
}

describe('A terminal in the container of a worker', () => {
  let platform: TerminalPlatform;
  let shown: ShownTerminal;

  beforeEach(async () => {
    platform = new TerminalPlatform();
    await platform.start();
  });

  afterEach(async () => {
    shown.terminal.dispose();
    await platform.stop();
  });

  /** Opens a terminal as the command does. */
  async function open(): Promise<void> {
    const { url } = platform;
    const connection = { baseUrl: url, restUrl: url, queueUrl: url, endpointHost: url, apiKey: 'key' };
    const target = { endpoint: { id: 'e1', name: 'hello' }, workerId: 'w1' };
    await showing(() => {
      openWorkerShell({ context: contextOf({ connection, fetch }), ...target });
      return Promise.resolve();
    });
  }

  /** Runs what opens a terminal, and collects what the terminal shows. */
  async function showing(opening: () => Promise<unknown>): Promise<void> {
    const { createTerminal } = vscode.window;
    const stub = (options: vscode.ExtensionTerminalOptions) => {
      let text = '';
      const { pty } = options;
      // The text is complete before a test hears of it.
      pty.onDidWrite((part) => (text += part));
      const terminal = createTerminal(options);
      const shows = (part: string) => waitFor([pty.onDidWrite as vscode.Event<never>], () => text.includes(part));
      shown = { terminal, pty, text: () => text, shows };
      return terminal;
    };
    await stubbed({ createTerminal: stub }, opening);
  }

  /** Resolves once the condition on a shell is met. */
  const until = (shell: Shell, condition: () => boolean) =>
    waitFor([shell.changed.event as vscode.Event<never>], condition);

  it('shows the output of the shell, also characters that arrive in parts, and sends the input', async () => {
    await open();
    const shell = await platform.shell(1);
    assert.ok(shell.url.startsWith(`${terminalPath({ endpointId: 'e1', workerId: 'w1' })}?columns=`), shell.url);
    assert.equal(shown.terminal.name, 'hello (worker w1)');
    const bytes = Buffer.from('~ # 工作器 \u001b[32mgreen\u001b[0m');
    for (const byte of bytes) shell.write(Uint8Array.of(byte));
    await shown.shows('~ # 工作器 \u001b[32mgreen\u001b[0m');
    assert.ok(!shown.text().includes('\ufffd'));
    shown.terminal.sendText('echo 作业\u0003', false);
    await until(shell, () => shell.input === 'echo 作业\u0003');
  });

  it('is what *Open Terminal* on the row of a worker in a container opens, and not a terminal of this machine', async () => {
    const { url } = platform;
    const connection = { baseUrl: url, restUrl: url, queueUrl: url, endpointHost: url, apiKey: 'key' };
    const client = createClient({ connection, fetch });
    const endpoint = { id: 'e1', name: 'hello', image: 'example/worker:1', env: {} };
    const services = {
      connections: { client, profile: { id: 'local', kind: 'local', name: 'Local Platform' } },
      endpoints: { find: (id: string) => (id === 'e1' ? { endpoint } : undefined) },
      secrets: { values: () => assert.fail('a shell in a container gets no variables of this machine') },
    } as unknown as Parameters<typeof openRowTerminal>[0];
    await showing(() => openRowTerminal(services, [{ kind: 'worker', endpointId: 'e1', workerId: 'w7' }]));
    const shell = await platform.shell(1);
    assert.ok(shell.url.startsWith(terminalPath({ endpointId: 'e1', workerId: 'w7' })), shell.url);
    assert.equal(shown.terminal.name, 'hello (worker w7)');
    shell.write('root@container:/app#');
    await shown.shows('root@container:/app#');
  });

  it('has the size of the view, and reports its changes', async () => {
    await open();
    const shell = await platform.shell(1);
    const initial = new URL(shell.url, platform.url).searchParams;
    await vscode.commands.executeCommand('workbench.action.toggleMaximizedPanel');
    try {
      await until(shell, () => shell.sizes.some(({ rows }) => rows > Number(initial.get('rows'))));
    } finally {
      await vscode.commands.executeCommand('workbench.action.toggleMaximizedPanel');
    }
  });

  it('sends input that was typed while it connects', async () => {
    const delay = Promise.withResolvers<void>();
    platform.delay = delay.promise;
    await open();
    await shown.shows('Opening a shell in the worker…');
    shown.pty.handleInput?.('ls');
    shown.pty.handleInput?.('\r');
    delay.resolve();
    const shell = await platform.shell(1);
    await until(shell, () => shell.input === 'ls\r');
  });

  it('shows the exit code, and any key closes it', async () => {
    await open();
    const shell = await platform.shell(1);
    shell.write('bye');
    shell.end({ event: 'exited', code: 3 });
    await shown.shows('bye\r\nThe shell exited with code 3.\r\nPress any key to close the terminal.');
    const closed = nextEvent(vscode.window.onDidCloseTerminal, (terminal) => terminal === shown.terminal);
    shown.terminal.sendText('\r', false);
    await closed;
    assert.equal(platform.shells.length, 1);
  });

  it('offers a new shell after a lost connection, and connects it at Enter', async () => {
    await open();
    (await platform.shell(1)).lose();
    await shown.shows('The connection to the shell was lost. A new shell does not continue the old one.');
    await shown.shows('Press Enter to reconnect, or any other key to close the terminal.');
    shown.terminal.sendText('\r', false);
    const shell = await platform.shell(2);
    shown.terminal.sendText('x', false);
    await until(shell, () => shell.input === 'x');
    shell.write('second shell');
    await shown.shows('second shell');
  });

  it('closes at any other key after a lost connection', async () => {
    await open();
    (await platform.shell(1)).lose();
    await shown.shows('Press Enter to reconnect');
    const closed = nextEvent(vscode.window.onDidCloseTerminal, (terminal) => terminal === shown.terminal);
    shown.terminal.sendText('q', false);
    await closed;
    assert.equal(platform.shells.length, 1);
  });

  it('names the reason for which the worker has ended, without its control characters', async () => {
    await open();
    (await platform.shell(1)).end({ event: 'ended', reason: 'the endpoint \u001b[31mwas deleted' });
    await shown.shows('The worker has ended: ');
    await shown.shows('Press any key');
    assert.ok(!shown.text().includes('\u001b[31m'));
  });

  it('explains a refusal', async () => {
    platform.refusal = 403;
    await open();
    await shown.shows('The key may not change the endpoint, so it may not open a terminal');
    await shown.shows('Press any key to close the terminal.');
  });

  it('ends the shell when it is closed', async () => {
    await open();
    const shell = await platform.shell(1);
    shown.terminal.dispose();
    await shell.closed;
  });
});
