import assert from 'node:assert/strict';
import { grouped } from '../../../src/platform/store/grouped.ts';

/** An action whose rounds end when the test says so. */
function rounds() {
  const begun: PromiseWithResolvers<void>[] = [];
  const ask = grouped(() => {
    const round = Promise.withResolvers<void>();
    begun.push(round);
    return round.promise;
  });
  return { begun, ask };
}

describe('a grouped action', () => {
  it('begins at once for the first who asks, and once more for all who ask meanwhile', async () => {
    const { begun, ask } = rounds();
    const first = ask();
    const later = [ask(), ask(), ask()];
    assert.equal(begun.length, 1);
    begun[0]?.resolve();
    await first;
    // Three who asked while the first round ran share the second.
    await new Promise((resolve) => setImmediate(resolve));
    assert.equal(begun.length, 2);
    begun[1]?.resolve();
    await Promise.all(later);
  });

  it('begins anew for who asks after it has ended', async () => {
    const { begun, ask } = rounds();
    const first = ask();
    begun[0]?.resolve();
    await first;
    void ask();
    assert.equal(begun.length, 2);
  });

  it('tells a failure to those who waited for it, and goes on', async () => {
    const { begun, ask } = rounds();
    const first = ask();
    const second = ask();
    begun[0]?.reject(new Error('disk full'));
    await assert.rejects(first, /disk full/);
    await new Promise((resolve) => setImmediate(resolve));
    begun[1]?.resolve();
    await second;
  });
});
