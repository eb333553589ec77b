import assert from 'node:assert/strict';
import { IdleWatch, idleCost, idleWords } from '../../../../src/features/spend/model/idleWatch.ts';
import type { EndpointSnapshot } from '../../../../src/account/endpoints/endpointSnapshot.ts';
import { endpoint, health, snapshot, worker, workers } from '../../endpoints/sample.ts';
import { prices } from '../sample.ts';

const MINUTE = 60_000;
const LONG = 30 * MINUTE;

/** A watch of one endpoint that is read at given minutes. */
function watched() {
  const watch = new IdleWatch();
  const at = (minute: number, state: EndpointSnapshot, longMs = LONG) =>
    watch.update([state], () => minute * MINUTE, longMs);
  return { watch, at };
}

const ended = (completed: number, ...statuses: string[]) =>
  snapshot(workers(...statuses), { health: health({ completed }) });
const balanced = (...statuses: string[]) =>
  snapshot(workers(...statuses), { endpoint: { ...endpoint, type: 'LOAD_BALANCER' } });

describe('A watch of idle workers', () => {
  it('reports an endpoint once a worker has been idle for long, with all idle workers', () => {
    const { at } = watched();
    assert.deepEqual(at(0, ended(1, 'IDLE', 'RUNNING')), []);
    assert.deepEqual(at(10, ended(1, 'IDLE', 'IDLE')), []);
    assert.deepEqual(at(29, ended(1, 'IDLE', 'IDLE')), []);
    const [found] = at(30, ended(1, 'IDLE', 'IDLE'));
    assert.deepEqual(
      found?.workers.map(({ worker: { id }, idleMs }) => [id, idleMs / MINUTE]),
      [
        ['w1', 30],
        ['w2', 20],
      ],
    );
  });

  it('reports once per idle period', () => {
    const { at } = watched();
    const idle = ended(1, 'IDLE');
    at(0, idle);
    assert.equal(at(30, idle).length, 1);
    assert.equal(at(31, idle).length, 0);
    assert.equal(at(90, idle).length, 0);
    at(91, ended(1, 'RUNNING'));
    at(92, ended(2, 'IDLE'));
    assert.equal(at(121, ended(2, 'IDLE')).length, 0);
    assert.equal(at(122, ended(2, 'IDLE')).length, 1);
  });

  it('begins again when jobs ended between two reads that both saw an idle worker', () => {
    const { at } = watched();
    at(0, ended(1, 'IDLE'));
    at(20, ended(2, 'IDLE'));
    assert.equal(at(49, ended(2, 'IDLE')).length, 0);
    assert.equal(at(50, ended(2, 'IDLE')).length, 1);
  });

  it('begins again after a gap if the platform does not report the number of jobs', () => {
    const { at } = watched();
    at(0, balanced('IDLE'));
    for (let minute = 2; minute <= 28; minute += 2) assert.deepEqual(at(minute, balanced('IDLE')), []);
    assert.equal(at(30, balanced('IDLE')).length, 1);
    const { at: after } = watched();
    after(0, balanced('IDLE'));
    assert.equal(after(45, balanced('IDLE')).length, 0);
  });

  it('begins again when the clock was set back', () => {
    const { at } = watched();
    at(100, ended(1, 'IDLE'));
    assert.equal(at(50, ended(1, 'IDLE')).length, 0);
    assert.equal(at(79, ended(1, 'IDLE')).length, 0);
    assert.equal(at(80, ended(1, 'IDLE')).length, 1);
  });

  it('ignores endpoints that have not been read, and forgets those that are gone', () => {
    const { watch, at } = watched();
    at(0, ended(1, 'IDLE'));
    assert.deepEqual(
      watch.update([ended(1, 'IDLE')], () => undefined, LONG),
      [],
    );
    watch.update([], () => undefined, LONG);
    assert.equal(at(30, ended(1, 'IDLE')).length, 0);
  });

  it('reports nothing while notices are off, and at once when they are turned on', () => {
    const { at } = watched();
    at(0, ended(1, 'IDLE'), Infinity);
    assert.equal(at(60, ended(1, 'IDLE'), Infinity).length, 0);
    assert.equal(at(61, ended(1, 'IDLE')).length, 1);
  });
});

describe('The notice about idle workers', () => {
  const cpu = [{ id: 'cpu3c', vcpuCount: 2 }];
  const idle = (min: number, ...minutes: number[]) => ({
    snapshot: snapshot(undefined, { endpoint: { ...endpoint, cpu, workers: { min, max: 3 } } }),
    workers: minutes.map((minute, index) => ({ worker: worker(`w${index}`), idleMs: minute * MINUTE })),
  });
  const source = { prices, takesFirst: false };

  it('contains the number, the time, and the cost', () => {
    assert.equal(idleCost(idle(0, 60, 30), source)?.toFixed(6), '0.108000');
    assert.equal(idleWords(idle(0, 40, 40), source, false).text, '“hello”: 2 workers idle for 40 min, $0.10.');
    assert.equal(idleWords(idle(0, 60, 30), source, false).text, '“hello”: 2 workers idle for up to 1 h 0 min, $0.11.');
  });

  it('names workers.min as the reason', () => {
    assert.equal(
      idleWords(idle(2, 40, 40), source, false).text,
      '“hello”: 2 workers idle for 40 min, $0.10. workers.min keeps 2 workers.',
    );
  });

  it('marks hosted prices, and omits an unknown cost', () => {
    assert.equal(
      idleWords(idle(0, 40), source, true).text,
      '“hello”: 1 worker idle for 40 min, $0.05 at hosted prices.',
    );
    assert.equal(
      idleWords(idle(0, 40), { prices: {}, takesFirst: false }, true).text,
      '“hello”: 1 worker idle for 40 min.',
    );
  });
});
