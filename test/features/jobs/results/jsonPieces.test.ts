import assert from 'node:assert/strict';
import { jsonBytes } from '../../../../src/features/jobs/results/jsonPieces.ts';

describe('JSON in pieces', () => {
  it('is the JSON of the value, also for values that are nested too deeply for JSON.stringify', async () => {
    const value = { a: [1, 'zwei', null, { b: [] }], c: {} };
    assert.equal(Buffer.from(await jsonBytes(value)).toString(), `${JSON.stringify(value, null, 2)}\n`);
    const deep = `${'['.repeat(50_000)}${']'.repeat(50_000)}`;
    const text = Buffer.from(await jsonBytes(JSON.parse(deep))).toString();
    assert.equal(text.replaceAll(/\s/g, ''), deep);
  });

  it('lets other code run while a large value is written', async () => {
    const value = Array.from({ length: 1_000_000 }, (_, index) => index);
    let turns = 0;
    let over = false;
    const count = (): void => {
      turns++;
      if (!over) setImmediate(count);
    };
    setImmediate(count);
    const bytes = await jsonBytes(value);
    over = true;
    assert.ok(turns > 5, `${turns} turns`);
    assert.ok(bytes.length > 6_000_000);
  });
});
