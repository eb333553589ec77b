import assert from 'node:assert/strict';
import fc from 'fast-check';
import { DeliveredRecords } from '../../../../src/platform/runtimes/kubernetes/podLog.ts';
import { LogRecords, type LogRecord } from '../../../../src/platform/runtimes/kubernetes/logRecords.ts';

const STAMP = '2026-01-02T03:04:05.123456789Z';
const LATER = '2026-01-02T03:04:06.000000001+00:00';

function read(text: string, chunkSize = text.length || 1): LogRecord[] {
  const records = new LogRecords();
  const bytes = Buffer.from(text);
  const found: LogRecord[] = [];
  for (let at = 0; at < bytes.length; at += chunkSize) found.push(...records.push(bytes.subarray(at, at + chunkSize)));
  return [...found, ...records.end()];
}

const contentOf = (records: readonly LogRecord[]): string =>
  Buffer.concat(records.map(({ content }) => content)).toString();

describe('Records of a log', () => {
  it('are lines without their timestamps', () => {
    const records = read(`${STAMP} one\n${LATER} \n${LATER} 2026-01-01T00:00:00Z own time\n`);
    assert.deepEqual(
      records.map(({ timestamp, content }) => [timestamp, content.toString()]),
      [
        [STAMP, 'one\n'],
        [LATER, '\n'],
        [LATER, '2026-01-01T00:00:00Z own time\n'],
      ],
    );
  });

  it('are the same for every size of the chunks', () => {
    const text = `${STAMP} größe\n${STAMP} ${'x'.repeat(16_384)}${LATER} ${'y'.repeat(700)}${LATER} z\n${LATER} 2026-01-01T00:00:00Z t\n${STAMP} end`;
    const expected = `größe\n${'x'.repeat(16_384)}${'y'.repeat(700)}z\n2026-01-01T00:00:00Z t\nend`;
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 20_000 }), (size) => assert.equal(contentOf(read(text, size)), expected)),
    );
  });

  it('omit messages of the node', () => {
    assert.equal(contentOf(read(`unable to retrieve container logs\n${STAMP} one\nfailed to watch file\n`)), 'one\n');
    const message = 'rpc error: code = Unknown desc = Error: No such container: 1f';
    assert.equal(contentOf(read(`${STAMP} one\n${message}`)), 'one\n');
    assert.equal(contentOf(read(`${STAMP} one${message}`)), 'one');
    assert.equal(contentOf(read(`${STAMP} ${message}\n`)), `${message}\n`);
  });

  it('tell whether the last one is complete', () => {
    assert.deepEqual(
      read(`${STAMP} one\n${STAMP} tw`).map(({ complete }) => complete),
      [true, false],
    );
  });
});

describe('Delivered records', () => {
  const second = (at: number, nanos = 0): string => `2026-01-01T00:00:0${at}.${String(nanos).padStart(9, '0')}Z`;
  const record = (timestamp: string): LogRecord => ({ timestamp, content: Buffer.from('x'), complete: true });

  it('are dropped from a repeated response, as often as they were delivered', () => {
    const delivered = new DeliveredRecords();
    assert.equal(delivered.restart(), undefined);
    const first = [second(1), second(3, 1), second(3, 1), second(3, 2)].map(record);
    for (const one of first) delivered.add(one);
    assert.equal(delivered.restart(), '2026-01-01T00:00:02.000Z');
    const response = [second(3, 1), second(3, 1), second(3, 1), second(3, 2), second(3, 2), second(4)].map(record);
    const isNew = response.map((one) => !delivered.isRepeated(one));
    assert.deepEqual(isNew, [false, false, true, false, true, true]);
  });

  it('continue after those of an earlier platform, wherever it was killed, and wherever responses end', () => {
    const arbitrary = fc.record({
      stamps: fc.array(fc.tuple(fc.nat({ max: 5 }), fc.nat({ max: 2 })), { maxLength: 30 }),
      lengths: fc.array(fc.record({ length: fc.nat({ max: 30 }), isKilled: fc.boolean() }), { maxLength: 6 }),
    });
    fc.assert(
      fc.property(arbitrary, ({ stamps, lengths }) => {
        const log = stamps.toSorted(([a, b], [c, d]) => a - c || b - d).map(([at, nanos]) => record(second(at, nanos)));
        let delivered = new DeliveredRecords();
        const found: LogRecord[] = [];
        for (const { length, isKilled } of [...lengths, { length: Infinity, isKilled: false }]) {
          if (isKilled) {
            const stored = JSON.stringify(delivered) as string | undefined;
            delivered = new DeliveredRecords(stored === undefined ? stored : JSON.parse(stored));
          }
          const since = delivered.restart() ?? '';
          const response = log.filter(({ timestamp }) => timestamp >= since);
          for (const one of response.slice(0, length)) {
            if (delivered.isRepeated(one)) continue;
            delivered.add(one);
            found.push(one);
          }
        }
        assert.deepEqual(found, log);
      }),
    );
  });

  it('include no record of an earlier platform that is later than its last one, after the node has replaced the file', () => {
    const earlier = new DeliveredRecords();
    for (const at of [1, 1, 2]) earlier.add(record(second(at)));
    const delivered = new DeliveredRecords(JSON.parse(JSON.stringify(earlier)));
    delivered.restart();
    assert.deepEqual(
      [second(2), second(3)].map((at) => delivered.isRepeated(record(at))),
      [true, false],
    );
  });
});
