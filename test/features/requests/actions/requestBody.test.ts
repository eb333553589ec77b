import assert from 'node:assert/strict';
import { MAX_ROUTE_BYTES } from '../../../../src/contract/route.ts';
import { readBody, sentHeaders, type RequestFiles } from '../../../../src/features/requests/actions/requestBody.ts';

const bytes = new Uint8Array([1, 2]);
const files = (sizes: Record<string, number>): RequestFiles => ({
  size: (path) => (path in sizes ? Promise.resolve(sizes[path] ?? 0) : Promise.reject(new Error('ENOENT'))),
  read: () => Promise.resolve(bytes),
});

describe('The body of a request', () => {
  it('is its text or the content of its file', async () => {
    const none = files({ 'a.bin': 2 });
    assert.equal(await readBody({ method: 'POST', body: { kind: 'text', text: 'x' } }, none), 'x');
    assert.equal(await readBody({ method: 'POST', body: { kind: 'file', path: 'a.bin' } }, none), bytes);
    assert.equal(await readBody({ method: 'POST', body: undefined }, none), undefined);
    assert.equal(await readBody({ method: 'GET', body: { kind: 'text', text: '' } }, none), undefined);
  });

  it('is refused before it is read if it is too large, missing, or not allowed', async () => {
    const large = files({ 'a.bin': MAX_ROUTE_BYTES + 1 });
    const read = (body: Parameters<typeof readBody>[0]) => readBody(body, large);
    await assert.rejects(
      read({ method: 'POST', body: { kind: 'file', path: 'a.bin' } }),
      /a\.bin \(30\.1 MB\) exceeds the limit/,
    );
    await assert.rejects(read({ method: 'POST', body: { kind: 'file', path: 'b.bin' } }), /b\.bin cannot be read/);
    await assert.rejects(read({ method: 'GET', body: { kind: 'text', text: 'x' } }), /cannot have a body/);
    const text = 'ü'.repeat(MAX_ROUTE_BYTES / 2 + 1);
    await assert.rejects(read({ method: 'PUT', body: { kind: 'text', text } }), /the body \(30\.1 MB\) exceeds/);
  });

  it('has a content type', () => {
    const typeOf = (body: Parameters<typeof sentHeaders>[1], name = 'X-A') =>
      sentHeaders([{ name, value: 'text/csv' }], body).find(([key]) => /content-type/i.test(key))?.[1];
    assert.equal(typeOf('{"a": 1}'), 'application/json');
    assert.equal(typeOf('{"a": 1'), 'text/plain; charset=utf-8');
    assert.equal(typeOf(bytes), 'application/octet-stream');
    assert.equal(typeOf('{}', 'content-type'), 'text/csv');
    assert.equal(typeOf(undefined), undefined);
  });
});
