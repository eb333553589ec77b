import assert from 'node:assert/strict';
import { locateLine, timeSpanOf } from '../../../../../src/features/logs/fullLog/actions/locateLine.ts';
import { LogPages } from '../../../../../src/features/logs/fullLog/actions/logPages.ts';
import { entry, MemoryLog, secondsApart, START } from '../memoryLog.ts';

describe('A line of a renumbered log', () => {
  const one = new MemoryLog('w1', [entry('a', START), entry('b', START), entry('c', START), entry('d', START + 5)]);
  const two = new MemoryLog('w2', [entry('b', START)]);
  const pages = new LogPages([one, two]);
  const locate = (workerId: string, text: string, at = START) => locateLine(pages, { workerId, text, at });

  it('is found by its worker, time, and text', async () => {
    assert.deepEqual(await locate('w1', 'b'), { log: 0, line: 1 });
    assert.deepEqual(await locate('w2', 'b'), { log: 1, line: 0 });
  });

  it('is replaced by the next line if it was removed', async () => {
    const found = await locate('w1', 'x', START + 1);
    assert.deepEqual([found?.log, found?.line], [0, 3]);
    const ofOther = await locate('w3', 'b');
    assert.deepEqual([ofOther?.log, ofOther?.line], [0, 0]);
    assert.equal(await locate('w1', 'x', START + 6), undefined);
  });
});

describe('The times of a log', () => {
  it('are those of the first and the last line of all workers', async () => {
    const logs = [
      new MemoryLog('w1', secondsApart(['a', 'b', 'c'])),
      new MemoryLog('w2', secondsApart(['a', 'b'], START - 500)),
      new MemoryLog('w3'),
    ];
    assert.deepEqual(await timeSpanOf(new LogPages(logs)), { from: START - 500, to: START + 2000 });
  });

  it('do not exist in an empty log', async () => {
    assert.equal(await timeSpanOf(new LogPages([new MemoryLog('w1')])), undefined);
    assert.equal(await timeSpanOf(new LogPages([])), undefined);
  });
});
