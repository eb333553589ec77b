import assert from 'node:assert/strict';
import { requestsOf } from '../../../../src/features/load/actions/fileRequests.ts';
import { parseHttpFile } from '../../../../src/features/requests/model/parseHttpFile.ts';
import { seededRandom } from '../../../support/seededRandom.ts';

const endpoints = ['a', 'b'].map((name) => ({
  ...{ id: `id-${name}`, name, type: 'LOAD_BALANCER' as const, base: `https://${name}.example.com` },
}));

function requests(text: string, { index, content = '' }: { index?: number; content?: string } = {}) {
  const reads: string[] = [];
  const loaded = requestsOf({
    file: parseHttpFile(text),
    index,
    files: {
      size: () => Promise.resolve(content.length),
      read: (file) => {
        reads.push(file);
        return Promise.resolve(new Uint8Array(Buffer.from(content)));
      },
    },
    context: { endpoints, random: seededRandom(1) },
    clock: { now: () => 0 },
  });
  return { loaded, reads };
}

describe('The requests of a load test', () => {
  it('are those of the file in turn, without WebSockets', async () => {
    const text = 'GET {{endpoint:a}}/1\n###\nWEBSOCKET {{endpoint:a}}/socket\n###\nGET {{endpoint:a}}/2\n';
    const { endpointId, next } = await requests(text).loaded;
    assert.deepEqual([endpointId, ...Array.from({ length: 3 }, () => next().path)], ['id-a', '/1', '/2', '/1']);
  });

  it('are only the one of the lens', async () => {
    const { next } = await requests('GET {{endpoint:a}}/1\n###\nGET {{endpoint:b}}/2\n', { index: 1 }).loaded;
    assert.deepEqual([next().path, next().endpointId], ['/2', 'id-b']);
  });

  it('have new values of their variables each time, also in the file of a body, which is read once', async () => {
    const text = 'POST {{endpoint:a}}/?n={{$randomInt}}\n\n<@ ./body.json\n';
    const { loaded, reads } = requests(text, { content: '{"id": "{{$guid}}"}' });
    const { next } = await loaded;
    const [first, second] = [next(), next()];
    assert.notEqual(first.path, second.path);
    assert.match(String(first.body), /^\{"id": "[\da-f-]{36}"\}$/);
    assert.notEqual(first.body, second.body);
    assert.deepEqual(first.headers, [['Content-Type', 'application/json']]);
    assert.equal(reads.length, 1);
  });

  it('are refused before the first one is sent', async () => {
    await assert.rejects(requests('# nothing\n').loaded, /has no request for a load test/);
    await assert.rejects(
      requests('GET {{endpoint:a}}/1\n###\nGET {{endpoint:b}}/2\n').loaded,
      /must have the same endpoint/,
    );
    await assert.rejects(
      requests('GET {{endpoint:a}}/1\n###\nGET {{endpoint:c}}/2\n').loaded,
      /^UserError: line 3, column/,
    );
    await assert.rejects(requests('WEBSOCKET {{endpoint:a}}/1\n', { index: 0 }).loaded, /cannot open a WebSocket/);
  });
});
