import assert from 'node:assert/strict';
import type { LogEntry } from '../../../../../src/features/logs/archive/readableLog.ts';
import {
  lineInRow,
  positionOf,
  writePage,
  type PageText,
} from '../../../../../src/features/logs/fullLog/model/pageText.ts';
import { readLogLine } from '../../../../../src/features/logs/model/readLogLine.ts';
import { entry, MemoryLog, sdkEntry, START, systemEntry, workerOf } from '../memoryLog.ts';

const DAY = 86_400_000;
const subject = { connectionId: 'local', endpointId: 'e1', endpointName: 'hello', workerIds: ['w1'] };
const one = [new MemoryLog('w1')];

interface Changes {
  readonly before?: number;
  readonly total?: number;
  readonly logs?: readonly MemoryLog[];
  readonly logOf?: (index: number) => number;
  readonly timestamps?: 'local' | 'utc' | 'off';
  readonly isNewest?: boolean;
}

function written(
  entries: readonly LogEntry[],
  changes: Changes = {},
): PageText & { readonly rowTexts: readonly string[] } {
  const {
    before = 0,
    total = before + entries.length,
    logs = one,
    logOf = () => 0,
    timestamps = 'utc',
    isNewest = false,
  } = changes;
  const lines = entries.map((line, index) => ({ log: logOf(index), entry: line, read: readLogLine(line.event) }));
  const page = writePage({ lines, before, total, isNewest }, { subject, logs, timestamps });
  return { ...page, rowTexts: page.text.split('\n') };
}

describe('The text of a page', () => {
  it('begins with the worker, the lines, and their times', () => {
    const { rowTexts } = written([entry('a', START), entry('b', START + 1500)], { before: 20_000, total: 2_000_000 });
    assert.deepEqual(rowTexts, [
      'hello / w1 · lines 20,001 to 20,002 of 2,000,000 · 2026-11-22 10:42:05 to 10:42:06 UTC',
      '2026-11-22',
      '10:42:05.000Z a',
      '10:42:06.500Z b',
      '',
    ]);
  });

  it('has a heading that stays the same when lines are added', () => {
    const lines = [entry('a', START), entry('b', START + 1500), entry('c', START + DAY)];
    const texts = [1, 2, 3].map((count) => written(lines.slice(0, count), { before: 20_000, isNewest: true }).text);
    assert.match(texts[0] ?? '', /^hello \/ w1 · lines from 20,001 · since 2026-11-22 10:42:05 UTC\n/);
    assert.ok(texts[1]?.startsWith(texts[0] ?? '-') && texts[2]?.startsWith(texts[1]));
  });

  it('names both days of a page that ends on another day', () => {
    const { rowTexts } = written([entry('a', START), entry('b', START + DAY)]);
    assert.match(rowTexts[0] ?? '', / · 2026-11-22 10:42:05 to 2026-11-23 10:42:05 UTC$/);
  });

  it('names the removed lines on the oldest page only', () => {
    const log = new MemoryLog('w1');
    log.removed = 1234;
    const oldest = written([entry('a', START)], { logs: [log] });
    assert.equal(oldest.rowTexts[1], '1,234 earlier lines were removed because of the size limit of stored logs.');
    assert.equal(written([entry('a', START)], { logs: [log], before: 10 }).rowTexts[1], '2026-11-22');
  });

  it('gives the reason for an empty log', () => {
    assert.deepEqual(written([]).rowTexts, [
      'hello / w1 · no lines',
      'The workers have not written any lines yet. New lines appear here.',
      '',
    ]);
    const log = new MemoryLog('w1');
    log.isComplete = false;
    const { rowTexts, rows } = written([], { logs: [log] });
    assert.equal(rowTexts[1], 'This log is not on this machine yet. The platform may have its lines.');
    assert.equal(rows, rowTexts.length);
  });

  it('shows a hostile name on one line', () => {
    const hostile = { ...subject, endpointName: 'a\nb\u202e\u001b[31m' };
    const { text } = writePage(
      { lines: [], before: 0, total: 0, isNewest: true },
      { subject: hostile, logs: [], timestamps: 'utc' },
    );
    assert.equal(text.split('\n')[0], 'a b / w1 · no lines');
  });

  it('maps each character of a line to its row and column', () => {
    const entries = [
      systemEntry('worker is ready', START),
      sdkEntry('0b9f3c1e-5d1c', 'first\nsecond\nthird', START + 1),
      entry('next day', START + DAY),
      entry('\u001b[31mred\u001b[0m text', START + DAY),
    ];
    for (const timestamps of ['utc', 'off'] as const) {
      for (const logs of [one, [new MemoryLog('worker-aaaa'), new MemoryLog('worker-bbbb')]]) {
        const page = written(entries, { timestamps, logs });
        assert.equal(page.rows, page.rowTexts.length);
        for (const [index, place] of page.places.entries()) {
          const read = readLogLine(entries[index]?.event ?? entry('', 0).event);
          for (let offset = 0; offset < read.text.length; offset++) {
            const character = read.text.charAt(offset);
            if (character === '\n') continue;
            const [row, column] = positionOf(place, read, offset);
            assert.equal(page.rowTexts[row]?.charAt(column), character, `${read.text} at ${offset}`);
          }
        }
      }
    }
  });

  it('maps each row to the line that it shows', () => {
    const page = written([entry('a', START), sdkEntry('1', 'b\nc', START), entry('d', START + DAY)]);
    assert.deepEqual(
      page.rowTexts.slice(1).map((text) => text.slice(14)),
      ['', 'a', 'INFO  [1] b', 'c', '', 'd', ''],
    );
    assert.deepEqual(
      [0, 1, 2, 3, 4, 5, 6, 7].map((row) => lineInRow(page, row)),
      [0, 0, 0, 1, 1, 1, 2, 2],
    );
    assert.equal(lineInRow(written([]), 0), undefined);
  });
});

describe('The tags of several workers', () => {
  it('precede their lines', () => {
    const logs = [new MemoryLog('worker-aaaa'), new MemoryLog('worker-bbbb')];
    const { rowTexts } = written([entry('a', START), entry('b', START)], { logs, logOf: (index) => index });
    assert.deepEqual(rowTexts.slice(2, 4), ['10:42:05.000Z aaaa │ a', '10:42:05.000Z bbbb │ b']);
    assert.equal(logs[0]?.worker.workerId, workerOf('worker-aaaa').workerId);
  });
});
