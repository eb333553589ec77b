import assert from 'node:assert/strict';
import fc from 'fast-check';
import { HostCapacity } from '../../../src/platform/workers/hostCapacity.ts';

function capacityWith(limit: number, gpus: readonly string[] = []) {
  const capacity = new HostCapacity(limit);
  capacity.setGpus(gpus);
  const admitted: [string, readonly string[]][] = [];
  const admit = (name: string, needed = 0) => capacity.admit((assigned) => admitted.push([name, assigned]), needed);
  const names = () => admitted.map(([name]) => name);
  return { capacity, admit, admitted, names };
}

describe('HostCapacity', () => {
  it('admits workers in order of arrival, up to its limit', () => {
    const { capacity, admit, names } = capacityWith(1);
    const leave = admit('a');
    assert.deepEqual(capacity.waitFor(), { kind: 'waitingForSlot', total: 1 });
    const leaveLine = admit('b');
    admit('c');
    leaveLine();
    leave();
    leave();
    assert.deepEqual(names(), ['a', 'c']);
  });

  it('assigns whole GPUs together with the slot, and each to one worker', () => {
    const { capacity, admit, admitted } = capacityWith(9, ['A', 'B', 'C']);
    const leave = admit('two', 2);
    admit('one', 1);
    assert.deepEqual(capacity.waitFor(1), { kind: 'waitingForGpus', needed: 1, total: 3 });
    admit('waits', 1);
    assert.deepEqual([...capacity.gpusInUse].sort(), ['A', 'B', 'C']);
    leave();
    assert.deepEqual(admitted, [
      ['two', ['A', 'B']],
      ['one', ['C']],
      ['waits', ['A']],
    ]);
  });

  it('has no slot and no GPU of a process that already runs, even above its limit', () => {
    const { capacity, admit, admitted } = capacityWith(1, ['A', 'B']);
    const leaveFirst = capacity.occupy(['A']);
    const leaveSecond = capacity.occupy([]);
    admit('next', 1);
    leaveSecond();
    leaveSecond();
    assert.deepEqual(admitted, []);
    leaveFirst();
    assert.deepEqual(admitted, [['next', ['A']]]);
  });

  it('keeps the order of workers that wait for GPUs, and lets other workers overtake them', () => {
    const { capacity, admit, names } = capacityWith(9, ['A', 'B']);
    const leave = admit('first', 1);
    const leaveLine = admit('needs both', 2);
    admit('needs one', 1);
    admit('needs none');
    assert.deepEqual(names(), ['first', 'needs none'], 'a smaller need does not overtake');
    assert.deepEqual(capacity.waitFor(1), { kind: 'waitingForGpus', needed: 1, total: 2 });
    leaveLine();
    assert.deepEqual(names(), ['first', 'needs none', 'needs one'], 'the first in line has left');
    leave();
    assert.equal(capacity.waitFor(1), undefined);
  });

  it('reserves no GPUs for a worker that waits for a slot', () => {
    const { admit, names } = capacityWith(1, ['A']);
    const leave = admit('cpu');
    admit('gpu', 1);
    admit('cpu 2');
    leave();
    assert.deepEqual(names(), ['cpu', 'gpu']);
  });

  it('admits a worker that needs more GPUs than there are, without GPUs, and reports it', () => {
    const { capacity, admit, admitted } = capacityWith(9, ['A']);
    let reports = 0;
    capacity.whenTooFewGpus(() => reports++);
    admit('too large', 2);
    assert.deepEqual(admitted, [['too large', []]]);
    assert.equal(reports, 1);
  });

  it('admits waiting workers when GPUs are found or lost', () => {
    const { capacity, admit, admitted } = capacityWith(9, ['A', 'B']);
    admit('first', 2);
    admit('second', 2);
    capacity.setGpus(['A', 'B', 'C', 'D']);
    assert.deepEqual(admitted.at(-1), ['second', ['C', 'D']]);
    admit('third', 4);
    capacity.setGpus(['A']);
    assert.deepEqual(admitted.at(-1), ['third', []], 'it would wait forever');
  });

  it('never assigns a GPU twice or exceeds its limit', () => {
    const step = fc.oneof(
      fc.record({ kind: fc.constant('enter' as const), gpus: fc.nat(4) }),
      fc.record({ kind: fc.constant('leave' as const), index: fc.nat(20) }),
    );
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        const capacity = new HostCapacity(3);
        capacity.setGpus(['A', 'B', 'C']);
        interface Place {
          gpus?: readonly string[];
          leave: () => void;
        }
        const running: Place[] = [];
        for (const one of steps) {
          if (one.kind === 'enter') {
            const place: Place = { leave: () => undefined };
            place.leave = capacity.admit((gpus) => (place.gpus = gpus), one.gpus);
            running.push(place);
          } else running.splice(one.index, 1)[0]?.leave();
          const admitted = running.map(({ gpus }) => gpus).filter((gpus) => gpus !== undefined);
          const assigned = admitted.flat();
          assert.ok(admitted.length <= 3);
          assert.equal(new Set(assigned).size, assigned.length);
          assert.deepEqual(new Set(assigned), capacity.gpusInUse);
        }
      }),
    );
  });
});
