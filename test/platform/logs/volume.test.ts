import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { fillPath } from '../../../src/contract/operation.ts';
import { operations } from '../../../src/contract/operations.ts';
import type { Endpoint } from '../../../src/contract/endpoint.ts';
import { LAST_EVENT_ID_HEADER } from '../../../src/contract/workerLogs.ts';
import { afterwards, cleanUp, dataDirectory, logEvents, platformForTest, type Api } from '../support.ts';

const BEGINNING = '1970-01-01T00:00:00Z';
const LINES = 100_000;

describe('Platform: large worker logs', () => {
  let api: Api;
  let endpoint: Endpoint;
  let workerId: string;

  beforeEach(async () => {
    ({ api } = await platformForTest({ dataDir: await dataDirectory() }));
    endpoint = await api.createEndpoint({ workers: { min: 1, max: 1 } });
    workerId = (await api.worker(endpoint, 'IDLE')).id;
  });

  afterEach(cleanUp);

  const open = (lastEventId?: string): Promise<Response> =>
    api.fetch(operations.getWorkerLogs, {
      parameters: { id: endpoint.id, workerId },
      query: { source: 'container', tail: 0 },
      headers: lastEventId === undefined ? {} : { [LAST_EVENT_ID_HEADER]: lastEventId },
    });

  /** Reads numbered lines up to a number, and checks that each arrives once and in order. Returns the ID of the last line. */
  const readLines = async (response: Response, from: number, to: number): Promise<string> => {
    let next = from;
    for await (const { line, id } of logEvents(response)) {
      assert.equal(line, `line ${next}`);
      if (next++ === to) return id;
    }
    return assert.fail('the stream ended');
  };

  it('delivers a hundred thousand lines once and in order to a live reader and to one that reconnects', async () => {
    const live = readLines(await open(), 1, LINES);
    const resuming = (async () => {
      let id = BEGINNING;
      for (let part = 0; part < 4; part++) {
        id = await readLines(await open(id), (part * LINES) / 4 + 1, ((part + 1) * LINES) / 4);
      }
      return id;
    })();
    await api.run(endpoint, { do: 'print', lines: LINES });
    assert.equal(await live, await resuming, 'both readers end with the same ID');
  }).timeout(60_000);

  it('keeps serving the worker, requests, and other readers while a hundred readers never read', async () => {
    const sockets = await Promise.all(Array.from({ length: 100 }, () => openStalledReader(api, endpoint.id, workerId)));
    const before = process.memoryUsage();
    const live = readLines(await open(), 1, LINES);
    const { id } = await api.run(endpoint, { do: 'print', lines: LINES });
    await live;
    await api.jobWithStatus(endpoint, id, 'COMPLETED');
    assert.equal((await api.runSync(endpoint, { do: 'echo', value: 'still here' })).output, 'still here');
    const after = process.memoryUsage();
    const held = (after.external - before.external) / 1_048_576;
    // The lines take 13 MB as events. Separate copies for each reader would take more than a gigabyte.
    assert.ok(held < 64, `external memory grew by ${held} MB`);
    for (const socket of sockets) socket.destroy();
  }).timeout(60_000);

  it('passes on colors, NUL, invalid bytes, and very long lines', async () => {
    const long = 'ä😀'.repeat(200_000);
    const bytes = Buffer.concat([
      Buffer.from('\u001b[31mred\u001b[0m\n10 %\r100 %\r\n\n'),
      Uint8Array.of(0x61, 0x00, 0x62, 0xff, 0x0a),
      Buffer.from(`${long}\nid: forged\ndata: forged\nlast\n`),
    ]);
    const response = await open();
    await api.run(endpoint, { do: 'write', base64: bytes.toString('base64') });
    const lines: string[] = [];
    for await (const { line } of logEvents(response)) {
      lines.push(line);
      if (line === 'last') break;
    }
    assert.deepEqual(lines.slice(0, 4), ['\u001b[31mred\u001b[0m', '10 %\r100 %', '', 'a\0b\ufffd']);
    assert.ok(lines[4] === long, 'the long line is whole');
    assert.deepEqual(lines.slice(5), ['id: forged', 'data: forged', 'last']);
  });
});

/** Opens a connection that requests all lines and reads nothing beyond the buffers of the system. */
async function openStalledReader({ addresses }: Api, id: string, workerId: string): Promise<Socket> {
  const { hostname, port } = new URL(addresses.baseUrl);
  const socket = connect(Number(port), hostname);
  afterwards(() => Promise.resolve(socket.destroy()));
  socket.on('error', () => undefined);
  await once(socket, 'connect');
  socket.pause();
  const path = fillPath(operations.getWorkerLogs.path, { id, workerId });
  const headers = [`Host: ${hostname}:${port}`, `Authorization: Bearer ${addresses.apiKey}`];
  socket.write([`GET ${path} HTTP/1.1`, ...headers, `${LAST_EVENT_ID_HEADER}: ${BEGINNING}`, '', ''].join('\r\n'));
  return socket;
}
