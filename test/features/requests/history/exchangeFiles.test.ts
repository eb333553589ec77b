import assert from 'node:assert/strict';
import {
  ExchangeFiles,
  MAX_STORED_BODY_BYTES,
  MAX_STORED_TOTAL_BYTES,
  type Folder,
} from '../../../../src/features/requests/history/exchangeFiles.ts';
import { hasSecret, withoutSecretValues } from '../../../../src/text/secretText.ts';
import type { ResolvedRequest } from '../../../../src/features/requests/model/httpFile.ts';

function memoryFolder() {
  const files = new Map<string, { content: Uint8Array; mtime: number }>();
  let time = 0;
  const folder: Folder = {
    read: (name) => Promise.resolve(files.get(name)?.content),
    write: (name, content) => Promise.resolve(void files.set(name, { content, mtime: time++ })),
    remove: (name) => Promise.resolve(void files.delete(name)),
    list: () =>
      Promise.resolve([...files].map(([name, { content, mtime }]) => ({ name, size: content.length, mtime }))),
  };
  const text = () => [...files.values()].map(({ content }) => new TextDecoder().decode(content)).join('\n');
  return { folder, files, text };
}

const KEY = 'sk-abc123def456ghi789jkl012';
const bytes = (text: string) => new TextEncoder().encode(text);
const request = (changes: Partial<ResolvedRequest> = {}): ResolvedRequest => ({
  ...{ name: undefined, endpointId: 'e', endpointName: 'hello', endpointType: 'LOAD_BALANCER', method: 'POST' },
  ...{ path: '/', headers: [{ name: 'X-A', value: 'b' }], body: { kind: 'text', text: '{"a": 1}' } },
  ...changes,
});
const head = { statusText: 'OK', headers: [{ name: 'x-b', value: 'c' }] };

describe('Stored responses', () => {
  it('are read as they were written, with their requests', async () => {
    const { folder } = memoryFolder();
    await new ExchangeFiles(folder).put('1', { request: request(), head, body: bytes('hi') });
    const { headers, body } = request();
    assert.deepEqual(await new ExchangeFiles(folder).read('1'), {
      ...head,
      body: bytes('hi'),
      request: { headers, body },
    });
    assert.equal(await new ExchangeFiles(folder).read('2'), undefined);
  });

  it('have no cookies, keys, or Authorization', async () => {
    const { folder, text } = memoryFolder();
    const headers = ['set-cookie', 'x-api-key', 'authorization'].map((name) => ({ name, value: 'abcdefgh' }));
    const files = new ExchangeFiles(folder);
    await files.put('1', {
      request: request({ headers }),
      head: { ...head, headers: [...headers, ...head.headers] },
      body: bytes(KEY),
    });
    const stored = await files.read('1');
    assert.deepEqual([stored?.headers, stored?.body, stored?.request], [head.headers, undefined, undefined]);
    assert.ok(!text().includes('abcdefgh') && !text().includes(KEY));
  });

  it('have a request only if it is small and can be sent again without a secret', async () => {
    const { folder, text } = memoryFolder();
    const files = new ExchangeFiles(folder);
    const put = async (changes: Partial<ResolvedRequest>) => {
      await files.put('1', { request: request(changes), head, body: bytes('') });
      return (await files.read('1'))?.request;
    };
    const authorization = [{ name: 'Authorization', value: `Bearer ${KEY}` }];
    assert.deepEqual((await put({ headers: authorization }))?.headers, []);
    assert.equal(await put({ body: { kind: 'text', text: `{"key": "${KEY}"}` } }), undefined);
    assert.equal(await put({ body: { kind: 'text', text: '{"password": "hunter2"}' } }), undefined);
    assert.equal(await put({ path: '/?token=abc' }), undefined);
    assert.equal(await put({ body: { kind: 'text', text: 'x'.repeat(20_000) } }), undefined);
    assert.deepEqual((await put({ body: { kind: 'file', path: 'a.bin' } }))?.body, { kind: 'file', path: 'a.bin' });
    assert.ok(!text().includes(KEY) && !text().includes('hunter2'));
  });

  it('have no body over the limit, and are bounded together', async () => {
    const { folder, files } = memoryFolder();
    const stored = new ExchangeFiles(folder);
    await stored.put('large', { request: request(), head, body: new Uint8Array(MAX_STORED_BODY_BYTES + 1) });
    assert.equal((await stored.read('large'))?.body, undefined);
    for (let number = 0; number < 80; number++)
      await stored.put(String(number), { request: request(), head, body: new Uint8Array(MAX_STORED_BODY_BYTES) });
    const total = [...files.values()].reduce((sum, { content }) => sum + content.length, 0);
    assert.ok(total <= MAX_STORED_TOTAL_BYTES && (await stored.read('79'))?.body);
    assert.equal(await stored.read('large'), undefined);
  });

  it('can be removed, and are ignored if they are damaged', async () => {
    const { folder, files } = memoryFolder();
    const stored = new ExchangeFiles(folder);
    await stored.put('1', { request: request(), head, body: bytes('x') });
    await stored.remove(['1']);
    assert.equal(files.size, 0);
    await folder.write('1.json', bytes('{'));
    assert.equal(await stored.read('1'), undefined);
  });
});

describe('A stored path', () => {
  it('has no query values that look like secrets', () => {
    assert.equal(withoutSecretValues('/a?x=1&api_key=abc&b'), '/a?x=1&api_key=…&b');
    assert.equal(withoutSecretValues(`/a?q=${KEY}&access%5Ftoken=1`), '/a?q=…&access%5Ftoken=…');
    assert.equal(withoutSecretValues('/a?x=%E0%A4%A&max_tokens=5'), '/a?x=%E0%A4%A&max_tokens=5');
  });
});

describe('A text with a secret', () => {
  it('is recognized', () => {
    assert.ok(hasSecret(`x ${KEY}`) && hasSecret('{"secret" : "a"}'));
    assert.ok(!hasSecret('{"prompt": "a secret", "max_tokens": "5"}'));
  });
});
