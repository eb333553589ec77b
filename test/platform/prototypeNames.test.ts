// Clauses of the interface: Endpoints 1.
import assert from 'node:assert/strict';
import type { Operation } from '../../src/contract/operation.ts';
import { controlOperations } from '../../src/contract/control/controlOperations.ts';
import { operations } from '../../src/contract/operations.ts';
import { cleanUp, platformForTest, type Api } from './support.ts';

/** Names that every object of JavaScript inherits. */
const INHERITED = Object.getOwnPropertyNames(Object.prototype);

const rows = Object.entries<Operation>({ ...operations, ...controlOperations });

describe('Names that every object inherits', () => {
  let api: Api;
  before(async () => ({ api } = await platformForTest()));
  after(cleanUp);

  const answer = async (row: Operation, args: { query?: Record<string, string>; text?: string }) => {
    const path = row.path.replaceAll(/\{\w+\}/g, 'x');
    const search = new URLSearchParams(args.query).toString();
    const response = await fetch(`${api.addresses[row.address]}${path}${search === '' ? '' : `?${search}`}`, {
      method: row.method,
      headers: { Authorization: `Bearer ${api.addresses.apiKey}` },
      ...(args.text === undefined ? {} : { body: args.text }),
      signal: AbortSignal.timeout(5_000),
    });
    const text = await response.text();
    return { status: response.status, text: text.replace(/"id":"[^"]*"/, '"id":""') };
  };

  for (const [id, row] of rows.filter(([, { query }]) => query)) {
    it(`are unknown query parameters of ${id}`, async () => {
      const expected = await answer(row, { query: { unknownName: '1' } });
      assert.match(expected.text, /unknown property 'unknownName'/);
      for (const name of INHERITED) {
        const { status, text } = await answer(row, { query: { [name]: '1' } });
        assert.deepEqual([status, text], [expected.status, expected.text.replaceAll('unknownName', name)]);
      }
    });
  }

  for (const [id, row] of rows.filter(([, { body }]) => body)) {
    it(`are unknown members of the body of ${id}`, async () => {
      const expected = await answer(row, { text: '{"unknownName":1}' });
      for (const name of INHERITED) {
        const { status, text } = await answer(row, { text: `{${JSON.stringify(name)}:1}` });
        assert.deepEqual([status, text], [expected.status, expected.text.replaceAll('unknownName', name)]);
      }
    });
  }
});
