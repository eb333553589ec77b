import assert from 'node:assert/strict';
import type { LogEntry } from '../../../../../src/features/logs/archive/readableLog.ts';
import {
  foldsOf,
  isInOutline,
  structureOf,
  type PageStructure,
} from '../../../../../src/features/logs/fullLog/model/pageStructure.ts';
import { writeSystemLine, type SystemLine } from '../../../../../src/contract/systemLines.ts';
import { readLogLine } from '../../../../../src/features/logs/model/readLogLine.ts';
import { entry, sdkEntry, START, systemEntry } from '../memoryLog.ts';

const SECOND = 1000;

/** Lines of log 0, a second apart. `w2:` in front of a program's text makes it a line of log 1. */
function structure(entries: readonly ((at: number) => LogEntry)[], isOneWorker = true): PageStructure {
  const lines = entries.map((create, index) => {
    const { event, at } = create(START + index * SECOND);
    const read = readLogLine(event);
    return { log: read.text.includes('w2:') ? 1 : 0, at, read, row: index, lastRow: index };
  });
  return structureOf(lines, isOneWorker);
}

const system = (line: SystemLine) => (at: number) => systemEntry(writeSystemLine(line), at);
const job =
  (id: string, text = 'works') =>
  (at: number) =>
    sdkEntry(id, text, at);
const output =
  (text = 'output') =>
  (at: number) =>
    entry(text, at);

const created = system({ kind: 'created', workerId: 'w1', endpoint: 'e1' });
const starting = system({ kind: 'starting', command: 'python', image: 'process:/a' });
const started = system({ kind: 'started', label: 'process 123' });
const ready = system({ kind: 'ready' });
const ended = system({ kind: 'failed', how: 'exited with code 1', seconds: 3 });

/** Describes items as `event`, `job(id) first-last`, and `start first-last [items]`. */
function words(items: PageStructure['items']): string[] {
  return items.map((item) => {
    if (item.kind === 'event') return item.event;
    if (item.kind === 'job') return `${item.requestId} ${item.first}-${item.last}`;
    return `start ${item.number} ${item.first}-${item.last} [${words(item.items).join(', ')}]`;
  });
}

describe('The structure of a page', () => {
  it('contains the starts of a worker with their events and jobs', () => {
    const page = structure([created, starting, output(), started, ready, job('j1'), job('j1'), ended, starting, ready]);
    assert.deepEqual(words(page.items), [
      'start 1 0-7 [created, starting, started, ready, j1 5-6, failed]',
      'start 2 8-9 [starting, ready]',
    ]);
  });

  it('keeps the events before the first start of the page', () => {
    const page = structure([job('j1'), output(), ended, created, starting]);
    assert.deepEqual(words(page.items), ['j1 0-0', 'failed', 'start 1 3-4 [created, starting]']);
  });

  it('counts output between the lines of a job as its own', () => {
    const page = structure([job('j1'), output(), output(), job('j1'), output(), job('j2'), job('j1')]);
    assert.deepEqual(words(page.items), ['j1 0-3', 'j2 5-5', 'j1 6-6']);
    assert.deepEqual(
      page.items.map((item) => item.kind === 'job' && [item.isContinuation, (item.endAt - START) / SECOND]),
      [
        [false, 6],
        [false, 5],
        [true, 6],
      ],
    );
    assert.deepEqual(words(page.items.filter(isInOutline)), ['j1 0-3', 'j2 5-5']);
  });

  it('ends a job at an event and at a line of another worker', () => {
    assert.deepEqual(words(structure([job('j1'), ended, job('j1')]).items), ['j1 0-0', 'failed', 'j1 2-2']);
    const merged = structure([job('j1'), output('w2: other'), job('j1')], false);
    assert.deepEqual(words(merged.items), ['j1 0-0', 'j1 2-2']);
  });

  it('has no starts in a log of several workers', () => {
    assert.deepEqual(words(structure([starting, ready, job('j1'), job('j1')], false).items), [
      'starting',
      'ready',
      'j1 2-3',
    ]);
  });

  it('ignores output that looks like an event', () => {
    assert.deepEqual(structure([output('worker is ready')]).items, []);
  });

  it('is empty for a page without lines', () => {
    assert.deepEqual(structure([]).items, []);
  });
});

describe('The folds of a page', () => {
  it('are the starts and the jobs with several rows', () => {
    const page = structure([starting, ready, job('j1'), output(), job('j1'), job('j2'), ended]);
    assert.deepEqual(foldsOf(page), [
      { first: 0, last: 6 },
      { first: 2, last: 4 },
    ]);
  });

  it('never overlap without one containing the other', () => {
    const kinds = [created, starting, started, ready, ended, job('j1'), job('j2'), output()];
    let seed = 7;
    const lines = Array.from({ length: 2000 }, () => {
      seed = (seed * 48_271) % 2_147_483_647;
      return kinds[seed % kinds.length] ?? output();
    });
    for (const isOneWorker of [true, false]) {
      const folds = foldsOf(structure(lines, isOneWorker));
      assert.ok(folds.length > 50);
      for (const [index, one] of folds.entries()) {
        for (const other of folds.slice(index + 1)) {
          const isApart = other.first > one.last || one.first > other.last;
          const isNested = other.first >= one.first && other.last <= one.last;
          assert.ok(isApart || isNested, `${JSON.stringify(one)} and ${JSON.stringify(other)}`);
        }
      }
    }
  });
});
