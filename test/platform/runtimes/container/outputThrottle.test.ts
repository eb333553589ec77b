import assert from 'node:assert/strict';
import { once } from 'node:events';
import http, { type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { OutputThrottle } from '../../../../src/platform/runtimes/container/outputThrottle.ts';
import { EngineApi } from '../../../../src/machine/engine/engineApi.ts';
import { ManualClock } from '../../logs/manualClock.ts';
import { afterwards, cleanUp, eventually } from '../../support.ts';
import { engineAt } from './testEngine.ts';

const CHUNK = 65_536;
/** More than the buffers of the connection hold. */
const FLOOD = 512 * CHUNK;

/** Returns a frame of standard output. */
function frame(length: number): Buffer {
  const bytes = Buffer.alloc(8 + length, 'x');
  bytes.writeUInt32BE(0x01_00_00_00, 0);
  bytes.writeUInt32BE(length, 4);
  return bytes;
}

describe('The output of a container', () => {
  afterEach(cleanUp);

  const start = async () => {
    const attached = Promise.withResolvers<ServerResponse>();
    const server = http.createServer((incoming, response) => {
      assert.equal(
        `${incoming.method} ${incoming.url}`,
        'POST /v1.41/containers/c1/attach?stream=true&stdout=true&stderr=true',
      );
      response.flushHeaders();
      attached.resolve(response);
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    const clock = new ManualClock(0);
    const api = new EngineApi({ name: 'test', tls: false, options: { host: '127.0.0.1', port } });
    let stalls = 0;
    const onStall = (): void => {
      stalls++;
    };
    const throttle = new OutputThrottle({ engine: engineAt(api), containerId: 'c1', clock, onStall });
    const ended = new AbortController();
    const running = throttle.run(ended.signal);
    afterwards(async () => {
      ended.abort();
      await running;
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    });
    const response = await attached.promise;
    /** Writes until the container would have to wait. Resolves with the number of bytes. */
    const print = async (): Promise<number> => {
      let written = 0;
      let refused = 0;
      await eventually('the throttle waits', () => {
        while (written < FLOOD && !response.writableNeedDrain) {
          response.write(frame(CHUNK));
          [written, refused] = [written + CHUNK, 0];
        }
        return ++refused > 10 || written >= FLOOD;
      });
      return written;
    };
    return { throttle, clock, print, response, stalls: () => stalls };
  };

  it('waits until the log has delivered it', async () => {
    const { throttle, print, response } = await start();
    const first = await print();
    assert.ok(first < FLOOD, `${first} bytes`);
    const drained = once(response, 'drain');
    throttle.delivered(first);
    await drained;
  });

  it('has its log read again if the log delivers nothing any more, each time after a longer time', async () => {
    const { clock, print, stalls } = await start();
    assert.ok((await print()) < FLOOD);
    clock.advance(999);
    assert.equal(stalls(), 0);
    clock.advance(1);
    assert.equal(stalls(), 1);
    // The buffers of the connection hold more output.
    await eventually('the throttle watches again', () => clock.waiting > 0);
    clock.advance(1_000);
    assert.equal(stalls(), 1);
    clock.advance(1_000);
    assert.equal(stalls(), 2);
  });
});
