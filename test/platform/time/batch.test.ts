import assert from 'node:assert/strict';
import { Batch } from '../../../src/platform/time/pacing.ts';

describe('Batch', () => {
  it('processes the items of one turn together and in order, and then starts a new batch', async () => {
    const rounds: (readonly number[])[] = [];
    const batch = new Batch<number, string>((items) => {
      rounds.push(items);
      return items.map((item) => `${item}!`);
    });
    assert.deepEqual(await Promise.all([batch.add(1), batch.add(2), batch.add(3)]), ['1!', '2!', '3!']);
    assert.equal(await batch.add(4), '4!');
    assert.deepEqual(rounds, [[1, 2, 3], [4]]);
  });

  it('waits until it is ready, with all items that are added in the meantime', async () => {
    const rounds: (readonly number[])[] = [];
    const busy = Promise.withResolvers<void>();
    const batch = new Batch<number>(
      (items) => {
        rounds.push(items);
        return [];
      },
      () => busy.promise,
    );
    const first = batch.add(1);
    await new Promise((resolve) => setImmediate(resolve));
    const second = batch.add(2);
    assert.deepEqual(rounds, []);
    busy.resolve();
    await Promise.all([first, second]);
    assert.deepEqual(rounds, [[1, 2]]);
  });

  it('processes the items at once on flush, and none twice', async () => {
    const rounds: (readonly number[])[] = [];
    const batch = new Batch<number>((items) => {
      rounds.push(items);
      return [];
    });
    const added = batch.add(1);
    batch.flush();
    assert.deepEqual(rounds, [[1]]);
    const later = batch.add(2);
    await Promise.all([added, later]);
    batch.flush();
    assert.deepEqual(rounds, [[1], [2]]);
  });

  it('rejects every add of a failed batch, and then continues', async () => {
    let full = true;
    const batch = new Batch<number>(() => {
      if (full) throw new Error('disk full');
      return [];
    });
    const added = [batch.add(1), batch.add(2)];
    for (const one of added) await assert.rejects(one, /disk full/);
    full = false;
    await batch.add(3);
  });
});
