import assert from 'node:assert/strict';
import { ImportTimes } from '../../../src/platform/domain/importTimes.ts';

const HEADER = 'import time: self [us] | cumulative | imported package';
const NOW = 10_000_000;

describe('ImportTimes', () => {
  /** Returns what is left of the lines for the log. */
  const read = (times: ImportTimes, lines: readonly string[], at = NOW): (string | undefined)[] =>
    lines.map((line) => times.read(line, at));

  it('reads the lines of Python, so that importers precede what they import', () => {
    const times = new ImportTimes();
    const lines = [
      HEADER,
      'import time:      2000 |       2000 |   torch._C',
      'import time:      3000 |       5000 | torch',
      'import time:      4000 |       4000 | json',
      'import time:       100 |        100 | small',
    ];
    assert.deepEqual(
      read(times, lines),
      lines.map(() => undefined),
    );
    const { modules, others } = times.measured();
    assert.deepEqual(
      modules.map(({ name, depth, from, to, selfMs }) => [name, depth, from - NOW, to - NOW, selfMs]),
      [
        ['torch', 0, -9, -4, 3],
        ['torch._C', 1, -6, -4, 2],
        ['json', 0, -4, 0, 4],
      ],
    );
    assert.deepEqual(others, { count: 1, ms: 0.1 });
  });

  it('ends modules at the latest when the worker is ready, in spite of late lines', () => {
    const times = new ImportTimes();
    read(times, [
      'import time: 3000 | 3000 |   inner',
      'import time: 1000 | 4000 | outer',
      'import time: 5000 | 5000 | last',
    ]);
    assert.deepEqual(
      times.measured(NOW - 10).modules.map(({ name, from, to }) => [name, from - NOW, to - NOW]),
      [
        ['outer', -19, -15],
        ['inner', -18, -15],
        ['last', -15, -10],
      ],
    );
  });

  it('leaves the text in front of a line to the log', () => {
    const times = new ImportTimes();
    assert.deepEqual(read(times, ['loading… import time:  1 |  5000 | numpy']), ['loading… ']);
    assert.equal(times.measured().modules[0]?.name, 'numpy');
  });

  const ordinary: readonly (readonly [what: string, line: string])[] = [
    ['other text', 'ready'],
    ['an empty line', ''],
    ['a part of a line', 'import time:      2000 |'],
    ['a line without a name', 'import time: 1 | 2 |  '],
    ['numbers without end', `import time: ${'9'.repeat(300)} | 2 | name`],
    ['a negative number', 'import time: -1 | 2 | name'],
    ['a long name', `import time: 1 | 2 | ${'x'.repeat(10_000)}`],
    ['words about imports', 'import time: unknown'],
  ];
  for (const [what, line] of ordinary) {
    it(`keeps ${what}`, () => {
      const times = new ImportTimes();
      assert.equal(times.read(line, NOW), line);
      assert.deepEqual(times.measured(), { modules: [], others: { count: 0, ms: 0 } });
    });
  }

  it('keeps the slowest modules of very many', () => {
    const times = new ImportTimes();
    for (let index = 1; index <= 20_000; index++) {
      const us = 1_000 + ((index * 7_919) % 20_000);
      times.read(`import time: ${us} | ${us} | module_${index}`, NOW);
    }
    const { modules, others } = times.measured();
    assert.equal(modules.length, 100);
    assert.equal(others.count, 19_900);
    assert.ok(modules.every(({ selfMs }) => selfMs >= 20.9));
  });

  it('survives depths and times that do not fit', () => {
    const times = new ImportTimes();
    read(times, [
      `import time: 999999999999999 | 999999999999999 | ${' '.repeat(300)}deep`,
      'import time: 5000 | 2000 | less than itself',
      'import time: 1000000 | 999999999999999 | a',
    ]);
    for (const { from, to } of times.measured().modules) assert.ok(from >= 0 && from <= to);
  });
});
