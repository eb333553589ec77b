import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { connect, type Socket } from 'node:net';
import process from 'node:process';
import type { Duplex } from 'node:stream';
import { setImmediate } from 'node:timers/promises';
import { closeServer, createServer, listen, portOf } from '../../../src/platform/server/server.ts';

const HEAD = 'POST / HTTP/1.1\r\nHost: a\r\n';
const MEBIBYTE = 1_048_576;

describe('Idle connection', () => {
  it('stays open for longer than the pools of common clients keep it, and each response announces how long', async () => {
    const server = createServer({
      request: (_, response) => response.end('done'),
      upgrade: (_, socket) => socket.destroy(),
      isUpgrade: () => false,
    });
    await listen(server, 0);
    const answer = await fetch(`http://127.0.0.1:${portOf(server)}`);
    await answer.text();
    assert.equal(answer.headers.get('keep-alive'), 'timeout=100');
    await closeServer(server);
  });
});

describe('Half-open connection', () => {
  let server: Server;
  let requests: { incoming: IncomingMessage; response: ServerResponse }[];
  let serve: (incoming: IncomingMessage, response: ServerResponse) => void;
  const sockets: Socket[] = [];
  /** Server side of upgraded connections. */
  const upgraded: Duplex[] = [];

  const start = async (silenceMs: number): Promise<void> => {
    requests = [];
    serve = (incoming, response) => void incoming.resume().on('end', () => response.end('done'));
    server = createServer(
      {
        request: (incoming, response) => {
          requests.push({ incoming, response });
          serve(incoming, response);
        },
        upgrade: (_, socket) => {
          upgraded.push(socket);
          socket.write('HTTP/1.1 101 Switching Protocols\r\n\r\n');
        },
        isUpgrade: () => true,
      },
      { silenceMs, idleMs: silenceMs, checkMs: 20 },
    );
    await listen(server, 0);
  };

  beforeEach(() => start(100));

  afterEach(async () => {
    for (const socket of [...sockets.splice(0), ...upgraded.splice(0)]) socket.destroy();
    await closeServer(server);
  });

  const open = (text = ''): Socket => {
    const socket = connect(portOf(server), '127.0.0.1');
    sockets.push(socket);
    socket.on('error', () => undefined);
    if (text !== '') socket.write(text);
    return socket;
  };

  /** Returns everything that the server sends before it closes the connection. The caller keeps its side open. */
  const untilClosed = async (socket: Socket): Promise<string> => {
    let text = '';
    socket.on('data', (part: Buffer) => (text += part.toString()));
    await once(socket, 'end');
    return text;
  };

  const refused = /^HTTP\/1\.1 408 /;

  it('is closed if no data arrives', async () => {
    assert.match(await untilClosed(open()), refused);
  });

  it('is closed after a partial head of the first or a later request', async () => {
    assert.match(await untilClosed(open(HEAD)), refused);
    const socket = open(`${HEAD}Content-Length: 0\r\n\r\n`);
    await once(socket, 'data');
    socket.write(HEAD);
    assert.match(await untilClosed(socket), refused);
  });

  it('is closed after a partial head and a FIN', async () => {
    const socket = open(HEAD);
    socket.end();
    assert.match(await untilClosed(socket), /^HTTP\/1\.1 400 /);
  });

  it('is closed if a body stalls, with or without a declared length', async () => {
    for (const rest of ['Content-Length: 1000\r\n\r\nhalf', 'Transfer-Encoding: chunked\r\n\r\n4\r\nhalf\r\n'])
      assert.equal(await untilClosed(open(HEAD + rest)), '');
    for (const { incoming } of requests) assert.equal(incoming.complete, false);
  });

  it('is closed if a body only trickles in', async () => {
    const socket = open(`${HEAD}Content-Length: ${MEBIBYTE}\r\n\r\n`);
    // The last bytes arrive after the close and cause a reset.
    const closed = new Promise((resolve) => socket.resume().once('close', resolve));
    await untilOver(() => void socket.write('x'), closed);
  });

  it('is closed if the caller sends no further request', async () => {
    assert.match(await untilClosed(open(`${HEAD}Content-Length: 0\r\n\r\n`)), /^HTTP\/1\.1 200 [^]*done$/);
    const answered = Promise.withResolvers<void>();
    serve = (_, response) => response.end('at once', () => answered.resolve());
    const socket = open(`${HEAD}Content-Length: 5\r\n\r\n`);
    await answered.promise;
    socket.write('later');
    assert.match(await untilClosed(socket), /at once/);
  });

  it('stays open while an upload makes progress, however long it takes', async () => {
    const socket = open(`${HEAD}Transfer-Encoding: chunked\r\n\r\n`);
    const answer = once(socket, 'data');
    await untilOver(() => void socket.write(`800\r\n${'x'.repeat(0x800)}\r\n`), silences(3));
    socket.write('0\r\n\r\n');
    assert.match(String((await answer)[0]), /^HTTP\/1\.1 200 /);
  });

  it('stays open while an upload is not read, after the response has started, and while the caller waits for the response', async () => {
    // The response begins before the silence counts, also on a busy machine.
    await closeServer(server);
    await start(2_000);
    const unread = open(`${HEAD}Content-Length: ${MEBIBYTE}\r\n\r\n`);
    serve = () => undefined;
    unread.write(Buffer.alloc(MEBIBYTE - 1, 'x'));
    await requestCount(1);
    serve = (incoming, response) => {
      incoming.resume();
      response.write('begun');
    };
    const conversation = open(`${HEAD}Transfer-Encoding: chunked\r\n\r\n`);
    await once(conversation, 'data');
    serve = (incoming) => void incoming.resume();
    const waiting = open(`${HEAD}Content-Length: 0\r\n\r\n`);
    await requestCount(3);
    await silences(2);
    for (const socket of [unread, conversation, waiting]) assert.ok(!socket.readableEnded && !socket.destroyed);
    const [first] = requests;
    first?.incoming.resume().on('end', () => first.response.end('read'));
    unread.write('x');
    assert.match(String((await once(unread, 'data'))[0]), /read$/);
  });

  it('stays open after an upgrade to another protocol', async () => {
    const socket = open('GET / HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\n');
    await once(socket, 'data');
    await silences(2);
    assert.ok(!socket.readableEnded);
  });

  it('is detected by TCP keep-alive probes if the caller disappears, upgraded or not', async function () {
    if (process.platform !== 'linux') this.skip();
    const request = open(`${HEAD}Content-Length: 0\r\n\r\n`);
    const upgraded = open('GET / HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\n');
    await Promise.all([once(request, 'data'), once(upgraded, 'data')]);
    const timers = await Promise.all(
      [request, upgraded].map(({ localPort = 0 }) => timerOf(portOf(server), localPort)),
    );
    assert.deepEqual(timers, ['keepalive', 'keepalive']);
  });

  /** Waits as long as `count` silent connections last, one after another. */
  const silences = async (count: number): Promise<void> => {
    for (let silence = 0; silence < count; silence++) await untilClosed(open());
  };

  /** Repeats an action, with a request and its response in between, until the promise settles. */
  const untilOver = async (action: () => void, until: Promise<unknown>): Promise<void> => {
    const progress = { isOver: false };
    const end = until.finally(() => (progress.isOver = true));
    while (!progress.isOver) {
      action();
      const socket = open(`${HEAD}Content-Length: 0\r\nConnection: close\r\n\r\n`);
      // On a busy machine, the server can also close this connection because of silence, which causes an error.
      await new Promise((resolve) => socket.resume().once('close', resolve));
    }
    await end;
  };

  const requestCount = async (count: number): Promise<void> => {
    while (requests.length < count) await setImmediate();
  };
});

const TIMERS: Readonly<Record<string, string>> = { '00': 'none', '01': 'retransmission', '02': 'keepalive' };

/** Returns the active timer on the server side of a connection (see proc_net_tcp). */
async function timerOf(server: number, caller: number): Promise<string | undefined> {
  const hex = (port: number): string => `0100007F:${port.toString(16).toUpperCase().padStart(4, '0')}`;
  const rows = (await readFile('/proc/net/tcp', 'utf8')).split('\n').map((line) => line.trim().split(/\s+/));
  const row = rows.find(([, local, remote]) => local === hex(server) && remote === hex(caller));
  return TIMERS[row?.[5]?.slice(0, 2) ?? ''];
}
