import assert from 'node:assert/strict';
import http from 'node:http';
import path from 'node:path';
import { openProgram, sshArguments } from '../../../src/machine/engine/engineAddress.ts';
import { EngineApi, EngineError } from '../../../src/machine/engine/engineApi.ts';
import { afterwards, cleanUp, dataDirectory, eventually } from '../../platform/support.ts';

/** Connects its standard input and output with a socket, like `docker system dial-stdio`. */
const RELAY =
  "const s = require('node:net').connect(process.argv[1]); process.stdin.pipe(s).pipe(process.stdout); s.on('close', () => process.stdin.destroy())";

describe('The SSH connection to an engine', () => {
  afterEach(cleanUp);

  it('starts the command line of the other machine, and separates its arguments from the host', () => {
    const target = { host: 'machine', user: 'me', port: '2222', socket: undefined };
    assert.deepEqual(sshArguments(target).slice(5), [
      ...['-l', 'me', '-p', '2222'],
      ...['--', 'machine', 'docker', 'system', 'dial-stdio'],
    ]);
    const socket = sshArguments({ ...target, socket: "/o'dd path.sock" });
    assert.deepEqual(socket.slice(-4), ['--host', "'unix:///o'\\''dd path.sock'", 'system', 'dial-stdio']);
  });

  it('carries requests, large bodies, and streams, each through a program of its own', async () => {
    const socket = path.join(await dataDirectory(), 's');
    let connections = 0;
    const server = http.createServer((incoming, response) => {
      if (incoming.url === '/stream') {
        response.write('{"line":1}\n');
        return;
      }
      let length = 0;
      incoming.on('data', (chunk: Buffer) => (length += chunk.length));
      incoming.on('end', () => response.end(JSON.stringify({ length, text: 'x'.repeat(length) })));
    });
    server.on('connection', (connection) => {
      connections++;
      connection.once('close', () => connections--);
    });
    await new Promise<void>((resolve) => server.listen(socket, resolve));
    afterwards(() => new Promise((resolve) => server.close(resolve)));
    const connect = () => openProgram(process.execPath, ['-e', RELAY, socket]);
    const api = new EngineApi({ name: 'ssh://machine', tls: false, options: {}, connect });

    const body = Buffer.alloc(1_000_000, 'a');
    const { length, text } = await api.json<{ length: number; text: string }>({ method: 'POST', path: '/', body });
    assert.deepEqual([length, text.length], [body.length, body.length]);

    const controller = new AbortController();
    const reason = new Error('enough');
    await assert.rejects(
      async () => {
        for await (const line of api.lines({ path: '/stream', signal: controller.signal })) {
          assert.deepEqual(line, { line: 1 });
          controller.abort(reason);
        }
      },
      (error) => error === reason,
    );
    await eventually('the programs have ended', () => connections === 0);
  });

  it('reports the output of a program that fails', async () => {
    const connect = () =>
      openProgram(process.execPath, ['-e', "console.error('no route to machine'); process.exit(255)"]);
    const api = new EngineApi({ name: 'ssh://machine', tls: false, options: {}, connect });
    await assert.rejects(api.json({ path: '/' }), (error) => {
      assert.ok(error instanceof EngineError && error.unreachable);
      assert.match(error.message, /ended with code 255: no route to machine/);
      return true;
    });
  });

  it('reports a program that does not exist', async () => {
    const connect = () => openProgram('no-such-program', []);
    const api = new EngineApi({ name: 'ssh://machine', tls: false, options: {}, connect });
    await assert.rejects(api.json({ path: '/' }), /no-such-program cannot be started/);
  });
});
