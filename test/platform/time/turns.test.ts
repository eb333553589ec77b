import assert from 'node:assert/strict';
import { Turns } from '../../../src/platform/time/pacing.ts';

describe('Turns', () => {
  it('limits the steps of all callers in one turn, and takes the rest in later turns', async () => {
    const turns = new Turns(2);
    const order: string[] = [];
    assert.equal(turns.step(), undefined);
    assert.equal(turns.step(), undefined);
    const third = turns.step()?.then(() => order.push('third'));
    const fourth = turns.step()?.then(() => order.push('fourth'));
    const fifth = turns.step()?.then(() => order.push('fifth'));
    assert.ok(third && fourth && fifth);
    setImmediate(() => order.push('the next turn'));
    await Promise.all([third, fourth]);
    const inNext = [...order];
    await fifth;
    assert.deepEqual(
      inNext.filter((name) => name !== 'the next turn'),
      ['third', 'fourth'],
    );
    assert.deepEqual(order.slice(-2), ['the next turn', 'fifth']);
  });
});
