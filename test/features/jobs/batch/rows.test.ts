import assert from 'node:assert/strict';
import { MAX_RUN_BYTES } from '../../../../src/contract/job.ts';
import { cellValue, csvRows, delimiterOf } from '../../../../src/features/jobs/batch/model/csv.ts';
import { jsonLinesRows } from '../../../../src/features/jobs/batch/actions/readSource.ts';
import { MAX_COLUMNS, type SourceRow } from '../../../../src/features/jobs/batch/model/sourceRow.ts';

/** Yields the content in chunks of this size, so that lines and characters are split. */
async function* chunks(content: string | Uint8Array, size = 7): AsyncGenerator<Uint8Array> {
  const bytes = Buffer.from(content);
  for (let at = 0; at < bytes.length; at += size) yield await Promise.resolve(bytes.subarray(at, at + size));
}

async function read(rows: AsyncIterable<SourceRow>): Promise<unknown[]> {
  const found: unknown[] = [];
  for await (const row of rows) {
    found.push(row.kind === 'row' ? [row.reference, row.body] : [row.reference, row.problem.code]);
  }
  return found;
}

const columns = (count: number): string => Array.from({ length: count }, (_, index) => `c${index}`).join(',');

describe('JSON Lines', () => {
  it('have an input or a whole body in each line', async () => {
    const text = '\ufeff{"prompt":"é"}\r\n\n{"input":{"a":1},"policy":{"ttl":60000}}\n{"input":{"b":2},"seed":3}';
    assert.deepEqual(await read(jsonLinesRows(chunks(text, 1))), [
      [1, { input: { prompt: 'é' } }],
      [3, { input: { a: 1 }, policy: { ttl: 60_000 } }],
      [4, { input: { input: { b: 2 }, seed: 3 } }],
    ]);
  });

  it('list broken lines with their numbers', async () => {
    const text = Buffer.concat([
      Buffer.from('{"a":1}\n{"a":\n[1]\n"text"\n{"input":"text"}\n{"input":{},"webhook":"no URL"}\n'),
      Buffer.from([0x22, 0xff, 0x22, 0x0a]),
      Buffer.from(`{"a":"${'x'.repeat(MAX_RUN_BYTES)}"}\n${'y'.repeat(2 * MAX_RUN_BYTES + 1)}\n{"z":1}`),
    ]);
    assert.deepEqual(await read(jsonLinesRows(chunks(text, 65_536))), [
      [1, { input: { a: 1 } }],
      ...[
        [2, 'notJson'],
        [3, 'notObject'],
        [4, 'notObject'],
        [5, 'invalid'],
        [6, 'invalid'],
        [7, 'notUtf8'],
      ],
      ...[
        [8, 'tooLarge'],
        [9, 'tooLarge'],
      ],
      [10, { input: { z: 1 } }],
    ]);
  });

  it('are broken if they are nested too deeply', async () => {
    const nested = (levels: number): string => `${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}\n`;
    const text = [501, 5_000, 100_000].map(nested).join('');
    assert.deepEqual(await read(jsonLinesRows(chunks(`${text}{"z":1}`, 65_536))), [
      [1, 'tooDeep'],
      [2, 'tooDeep'],
      [3, 'tooDeep'],
      [4, { input: { z: 1 } }],
    ]);
    const [[, kept] = []] = (await read(jsonLinesRows(chunks(nested(500), 65_536)))) as [number, unknown][];
    assert.equal(typeof kept, 'object');
  });

  it('keep a member named __proto__', async () => {
    const [row] = (await read(jsonLinesRows(chunks('{"__proto__":{"a":1}}')))) as [[number, object]];
    assert.equal(JSON.stringify(row[1]), '{"input":{"__proto__":{"a":1}}}');
  });
});

describe('CSV', () => {
  it('becomes inputs with the members of the header', async () => {
    const text = '\ufeffprompt,steps,ok,extra\r\n"a, ""b""\nc",5,true,"{""x"":[1]}"\r\n007,1.5,TRUE,\r\né,,,""\r\n';
    assert.deepEqual(await read(csvRows(chunks(text))), [
      [2, { input: { prompt: 'a, "b"\nc', steps: 5, ok: true, extra: { x: [1] } } }],
      [4, { input: { prompt: '007', steps: 1.5, ok: 'TRUE' } }],
      [5, { input: { prompt: 'é', extra: '' } }],
    ]);
  });

  it('can have semicolons or tabs', async () => {
    assert.deepEqual(await read(csvRows(chunks('a;b\n1,5;2\n'))), [[2, { input: { a: '1,5', b: 2 } }]]);
    assert.deepEqual(await read(csvRows(chunks('a\tb\n1\t2\n'))), [[2, { input: { a: 1, b: 2 } }]]);
    assert.equal(delimiterOf('"a;b;c",d\n1;2;3;4'), ',');
    assert.equal(delimiterOf('single'), ',');
  });

  it('lists broken rows with their line numbers', async () => {
    const text = 'a,b\n1,2\n1\n1,2,3\n\n"x"y,1\n5" pipe,1\n"a\nb",4\n3,"x""y"\n"5,6\n7,8\n';
    assert.deepEqual(await read(csvRows(chunks(text))), [
      [2, { input: { a: 1, b: 2 } }],
      ...[
        [3, 'columns'],
        [4, 'columns'],
        [6, 'quotes'],
        [7, 'quotes'],
      ],
      [8, { input: { a: 'a\nb', b: 4 } }],
      [10, { input: { a: 3, b: 'x"y' } }],
      [11, 'openQuote'],
    ]);
  });

  it('reports Latin-1 text', async () => {
    assert.deepEqual(await read(csvRows(chunks(Buffer.from('a\ncaf\xe9\n', 'latin1')))), [[2, 'notUtf8']]);
  });

  it('is refused as a whole without a usable header', async () => {
    const refused = (text: string | Uint8Array, code: string) =>
      assert.rejects(read(csvRows(chunks(text, 65_536))), { name: 'SourceError', code });
    await refused('', 'empty');
    await refused('a,,b\n1,2,3\n', 'emptyHeader');
    await refused('a,b,a\n1,2,3\n', 'duplicateHeader');
    await refused(`${columns(MAX_COLUMNS + 1)}\n`, 'tooManyColumns');
    await refused(`${columns(160_000)}\n`, 'tooManyColumns');
    await refused(Buffer.from('\ufeffa\n', 'utf16le'), 'utf16');
  });

  it('counts the cells of a row before it parses them', async () => {
    assert.deepEqual(await read(csvRows(chunks(`a\n${','.repeat(10_000_000)}\n1\n`, 65_536))), [
      [2, 'columns'],
      [3, { input: { a: 1 } }],
    ]);
    const quoted = `a\n"${','.repeat(MAX_COLUMNS + 1)}"\n`;
    assert.deepEqual(await read(csvRows(chunks(quoted))), [[2, { input: { a: ','.repeat(MAX_COLUMNS + 1) } }]]);
  });

  it('can have as many columns as a spreadsheet', async () => {
    const cells = Array.from({ length: MAX_COLUMNS }, () => '1').join(',');
    const [[, body] = []] = (await read(csvRows(chunks(`${columns(MAX_COLUMNS)}\n${cells}\n`, 65_536)))) as [
      number,
      { readonly input: object },
    ][];
    assert.equal(Object.keys(body?.input ?? {}).length, MAX_COLUMNS);
  });

  it('marks a row broken that has a cell of deeply nested JSON', async () => {
    assert.deepEqual(await read(csvRows(chunks(`a\n${'['.repeat(5_000)}${']'.repeat(5_000)}\n1\n`, 65_536))), [
      [2, 'tooDeep'],
      [3, { input: { a: 1 } }],
    ]);
  });

  it('recognizes JSON only in a whole cell, and keeps numbers that would lose digits as text', () => {
    const values = [
      ['1', 1],
      ['-0.5e3', -500],
      ['1 ', '1 '],
      ['01', '01'],
      ['true', true],
      ['null', null],
      ['nul', 'nul'],
    ];
    const texts = [
      ['12345678901234567890', '12345678901234567890'],
      ['1e999', '1e999'],
      ['"5"', '5'],
      ['[1', '[1'],
    ];
    for (const [cell, value] of [...values, ...texts]) assert.deepEqual(cellValue(cell as string), value);
  });
});
