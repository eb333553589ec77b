import assert from 'node:assert/strict';
import fc from 'fast-check';
import { workerTags, type WorkerTag } from '../../../../src/features/logs/model/workerTag.ts';

const texts = (ids: readonly string[], known?: ReadonlyMap<string, WorkerTag>) =>
  [...workerTags(ids, known).values()].map(({ text }) => text);

describe('workerTags', () => {
  it('uses the end of an id', () => assert.deepEqual(texts(['a1b2c3d4', 'e5f6g7h8']), ['c3d4', 'g7h8']));

  it('uses the beginning of an id whose end is taken, and then longer parts', () => {
    assert.deepEqual(texts(['aaaa-0000', 'bbbb-0000', 'cccc-x-0000', 'cccc-y-0000']), [
      '0000',
      'bbbb',
      'cccc',
      '-0000',
    ]);
  });

  it('uses the whole of a short id', () => assert.deepEqual(texts(['a', 'b']), ['a', 'b']));

  it('keeps the tags of known workers', () => {
    const before = workerTags(['aaaa-0000', 'bbbb-0000']);
    const after = workerTags(['cccc-0000', 'bbbb-0000'], before);
    assert.deepEqual(after.get('bbbb-0000'), before.get('bbbb-0000'));
    assert.equal(after.get('cccc-0000')?.text, 'cccc');
  });

  it('gives six workers different colors', () => {
    const colors = [...workerTags(['a', 'b', 'c', 'd', 'e', 'f', 'g']).values()].map(({ color }) => color);
    assert.deepEqual(colors, ['tag1', 'tag2', 'tag3', 'tag4', 'tag5', 'tag6', 'tag1']);
  });

  it('numbers ids without usable characters', () => {
    assert.deepEqual(texts(['\u202e', '', '│ │', '名前']), ['worker-1', 'worker-2', 'worker-3', 'worker-4']);
  });

  it('are unique, short, and unchanged by later workers, for any ids', () => {
    fc.assert(
      fc.property(fc.uniqueArray(fc.string({ unit: fc.constantFrom('a', 'b', '-', ' ', '\n') })), (ids) => {
        const tags = workerTags(ids);
        assert.equal(tags.size, ids.length);
        assert.equal(new Set([...tags.values()].map(({ text }) => text)).size, ids.length);
        for (const { text } of tags.values()) assert.match(text, /^[\w-]{1,40}$/);
        const fewer = workerTags(ids.slice(0, -1));
        for (const [id, tag] of fewer) assert.deepEqual(tags.get(id), tag);
      }),
    );
  });
});
