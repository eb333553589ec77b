import assert from 'node:assert/strict';
import { askPaged, type ItemPage } from '../../src/kit/pagedPick.ts';
import { BACK } from '../../src/kit/steps.ts';
import { inputs } from './inputs.ts';

type Pages = (signal: AbortSignal) => AsyncIterator<ItemPage<{ label: string }>, void>;

const TITLE = 'Paged';
const MORE = '$(sync) Load More…';

describe('A quick pick with pages', () => {
  let harness: ReturnType<typeof inputs>;

  beforeEach(() => {
    harness = inputs();
  });

  afterEach(() => harness.done());

  const ask = (pages: Pages) =>
    askPaged({ place: { title: TITLE, back: true }, placeholder: 'Choose', empty: 'There is nothing.', pages });

  const page = (labels: readonly string[], more: boolean) => ({ items: labels.map((label) => ({ label })), more });

  it('reads a page only when the user asks for it', async () => {
    let read = 0;
    const answer = ask(async function* () {
      read++;
      yield await Promise.resolve(page(['a'], true));
      read++;
      yield page(['b'], false);
    });
    const pick = await harness.page(TITLE);
    assert.deepEqual(await pick.loaded(), ['a', MORE]);
    assert.equal(read, 1);
    await pick.choose(MORE);
    assert.deepEqual(await pick.loaded('b'), ['a', 'b']);
    await pick.choose('b');
    assert.deepEqual(await answer, { label: 'b' });
  });

  it('aborts the read when the user leaves or goes back', async () => {
    for (const act of ['leave', 'back'] as const) {
      const signals: AbortSignal[] = [];
      const answer = ask(async function* (signal) {
        signals.push(signal);
        await new Promise((_, reject) => signal.addEventListener('abort', () => reject(new Error('aborted'))));
        yield page([], false);
      });
      const pick = await harness.page(TITLE);
      await pick[act]();
      assert.equal(await answer, act === 'back' ? BACK : undefined);
      assert.deepEqual(
        signals.map(({ aborted }) => aborted),
        [true],
      );
    }
  });

  it('rejects with the error of a page', async () => {
    const answer = ask(async function* () {
      yield await Promise.resolve(page(['a'], true));
      throw new Error('the platform failed');
    });
    const rejected = assert.rejects(answer, /the platform failed/);
    const pick = await harness.page(TITLE);
    await pick.loaded();
    await pick.choose(MORE);
    await rejected;
  });

  it('states that there is nothing to choose from', async () => {
    const answer = ask(async function* () {
      yield await Promise.resolve(page([], false));
    });
    const pick = await harness.page(TITLE);
    assert.equal(await pick.placeholder('There is nothing.'), 'There is nothing.');
    await pick.leave();
    assert.equal(await answer, undefined);
  });
});
