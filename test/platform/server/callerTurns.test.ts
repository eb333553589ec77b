import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { connect, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { closeServer, createServer, listen, portOf } from '../../../src/platform/server/server.ts';
import { countPerTurn } from '../../support/countPerTurn.ts';
import { afterwards, cleanUp, eventually } from '../support.ts';

const CALLERS = 500;
const PER_TURN = 50;

describe('Thousands of callers', () => {
  afterEach(cleanUp);

  /** Starts a server, and opens connections to it that the server has accepted. */
  async function openConnections(serve: (incoming: IncomingMessage, response: ServerResponse) => void) {
    const server = createServer({ request: serve, upgrade: () => undefined, isUpgrade: () => false });
    let accepted = 0;
    server.on('connection', () => accepted++);
    await listen(server, 0);
    const open = async (): Promise<Socket> => {
      const socket = connect(portOf(server), '127.0.0.1');
      socket.on('error', () => undefined);
      await once(socket, 'connect');
      return socket;
    };
    const sockets = await Promise.all(Array.from({ length: CALLERS }, open));
    await eventually('all connections are accepted', () => accepted === CALLERS);
    afterwards(async () => {
      for (const socket of sockets) socket.destroy();
      await closeServer(server);
    });
    return sockets;
  }

  const send = (socket: Socket, body = ''): boolean =>
    socket.write(`POST / HTTP/1.1\r\nHost: a\r\nContent-Length: ${body.length}\r\n\r\n${body}`);

  it('are served in a bounded number in each turn, with their whole bodies', async () => {
    const turns = countPerTurn();
    const bodies: Promise<string>[] = [];
    const sockets = await openConnections((incoming, response) => {
      turns.count();
      bodies.push(text(incoming));
      response.end();
    });
    const body = 'x'.repeat(100_000);
    for (const socket of sockets) send(socket, body);
    await eventually('all requests have arrived', () => bodies.length === CALLERS);
    for (const received of await Promise.all(bodies)) assert.equal(received.length, body.length);
    assert.ok(turns.most() <= PER_TURN, `${turns.most()} requests in one turn`);
  });

  it('do not delay a caller that has been answered before', async () => {
    let requests = 0;
    let placeOfKnown = 0;
    const sockets = await openConnections((incoming, response) => {
      requests++;
      if (incoming.socket.remotePort === known?.localPort) placeOfKnown = requests;
      response.end();
    });
    const known = sockets.pop();
    assert.ok(known);
    send(known);
    await once(known, 'data');
    for (const socket of sockets) send(socket);
    send(known);
    await eventually('all requests have arrived', () => requests === CALLERS + 1);
    assert.ok(placeOfKnown <= PER_TURN + 2, `its request was number ${placeOfKnown}`);
  });

  it('disconnect in a bounded number in each turn', async () => {
    const turns = countPerTurn();
    let [arrived, ended] = [0, 0];
    const sockets = await openConnections((_incoming, response) => {
      arrived++;
      response.once('close', () => {
        turns.count();
        ended++;
      });
    });
    for (const socket of sockets) send(socket);
    await eventually('all requests have arrived', () => arrived === CALLERS);
    for (const socket of sockets) socket.destroy();
    await eventually('all requests have ended', () => ended === CALLERS);
    assert.ok(turns.most() <= PER_TURN, `${turns.most()} disconnects in one turn`);
  });

  it('disconnect without an effect on a body that is still arriving', async () => {
    const bodies: Promise<string>[] = [];
    let ended = 0;
    const sockets = await openConnections((incoming, response) => {
      response.once('close', () => ended++);
      bodies.push(text(incoming).catch(() => ''));
    });
    const uploading = sockets.pop();
    assert.ok(uploading);
    uploading.write('POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 200000\r\n\r\n');
    uploading.write('x'.repeat(100_000));
    await eventually('the upload has begun', () => bodies.length === 1);
    for (const socket of sockets) send(socket);
    await eventually('all requests have arrived', () => bodies.length === CALLERS);
    for (const socket of sockets) socket.destroy();
    uploading.write('x'.repeat(100_000));
    assert.equal((await bodies[0])?.length, 200_000);
    await eventually('all others have ended', () => ended === CALLERS - 1);
  });
});
