import assert from 'node:assert/strict';
import { once } from 'node:events';
import net from 'node:net';
import type { Endpoint } from '../../src/contract/endpoint.ts';
import { fillPath } from '../../src/contract/operation.ts';
import { operations } from '../../src/contract/operations.ts';
import { puppet, type Puppet } from './puppet.ts';
import { cleanUp, platformForTest, type Api } from './support.ts';

describe('Chunks of a stream', () => {
  let api: Api;
  let endpoint: Endpoint;
  let worker: Puppet;
  let id: string;

  beforeEach(async () => {
    ({ api } = await platformForTest());
    endpoint = await api.createEndpoint({ workers: { min: 1, max: 1 }, cmd: [process.execPath, 'puppet.mjs'] });
    worker = await puppet(api, endpoint);
    ({ id } = await api.run(endpoint, { n: 1 }));
    await worker.take();
  });
  afterEach(cleanUp);

  const parameters = () => ({ endpointId: endpoint.id, jobId: id });
  const poll = async () => (await api.call(operations.streamJob, { parameters: parameters() })).stream;

  /** Sends a request for chunks over a connection of its own. */
  async function reader(method: 'GET' | 'HEAD' = 'GET'): Promise<net.Socket> {
    const url = new URL(api.addresses.queueUrl + fillPath(operations.streamJob.path, parameters()));
    const socket = net.connect(Number(url.port), url.hostname);
    await once(socket, 'connect');
    const headers = [`Host: ${url.host}`, `Authorization: Bearer ${api.addresses.apiKey}`];
    socket.write(`${[`${method} ${url.pathname} HTTP/1.1`, ...headers].join('\r\n')}\r\n\r\n`);
    return socket;
  }

  it('are delivered again if the poller disconnects before the whole response is sent', async () => {
    const sent = ['a', 'b', 'c'].map((letter) => letter.repeat(6_000_000));
    for (const chunk of sent) await worker.chunk(id, chunk);
    const socket = await reader();
    const [head] = (await once(socket, 'data')) as [Buffer];
    assert.match(head.toString(), /^HTTP\/1.1 200/);
    socket.pause();
    socket.destroy();
    const stream = await poll();
    assert.equal(stream.map(({ output }) => output).join(''), sent.join(''));
    await worker.chunk(id, 'next');
    assert.deepEqual(await poll(), [{ output: 'next' }], 'each chunk arrives once');
  });

  it('are delivered again if the poller resets the connection with the response on its way', async () => {
    const socket = await reader();
    socket.pause();
    await worker.chunk(id, 'first');
    socket.resetAndDestroy();
    assert.deepEqual(await poll(), [{ output: 'first' }]);
  });

  it('are delivered once to a poller that closes each connection', async () => {
    for (const chunk of ['first', 'second']) {
      await worker.chunk(id, chunk);
      const socket = await reader();
      const [data] = (await once(socket, 'data')) as [Buffer];
      assert.ok(data.toString().endsWith(JSON.stringify({ status: 'IN_PROGRESS', stream: [{ output: chunk }] })));
      socket.end();
      await once(socket, 'close');
    }
  });

  it('are not taken by a request for the headers', async () => {
    await worker.chunk(id, 'first');
    const socket = await reader('HEAD');
    await once(socket, 'data');
    assert.deepEqual(await poll(), [{ output: 'first' }]);
    socket.destroy();
  });
});
