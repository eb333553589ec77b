import assert from 'node:assert/strict';
import { deflateSync } from 'node:zlib';
import { encode } from 'jpeg-js';
import { PNG } from 'pngjs';
import { compareOutputs, MAX_DIFFERENCES, type Tolerance } from '../../../src/features/gate/model/compareOutputs.ts';
import { textDifference } from '../../../src/features/gate/model/textDifference.ts';
import { png as pngOfParts } from '../../platform/images/support.ts';

const found = async (before: unknown, after: unknown, tolerance?: Tolerance) =>
  (await compareOutputs(before, after, tolerance)).map(({ kind, path }) => [kind, ...path]);

describe('The outputs of two versions', () => {
  it('are equal in any order of their members, and differ in the order of a list', async () => {
    assert.deepEqual(await found({ a: 1, b: [1, 2] }, { b: [1, 2], a: 1 }), []);
    assert.deepEqual(await found([1, 2], [2, 1]), [
      ['number', 0],
      ['number', 1],
    ]);
  });

  it('differ if a value is missing, added, or of another type', async () => {
    assert.deepEqual(await found({ a: 1, b: null, c: [1] }, { a: '1', c: [1, 2], d: {} }), [
      ['type', 'a'],
      ['missing', 'b'],
      ['added', 'c', 1],
      ['added', 'd'],
    ]);
    assert.deepEqual(await found(undefined, undefined), []);
    assert.deepEqual(await found(undefined, 1), [['added']]);
    assert.deepEqual(await found({}, []), [['type']]);
    assert.deepEqual(await found(null, {}), [['type']]);
    assert.deepEqual(await found({ a: true }, { a: false }), [['value', 'a']]);
  });

  it('have members with the names of inherited ones', async () => {
    const [before, after] = ['{"__proto__": 1, "toString": 2}', '{}'].map((text) => JSON.parse(text) as unknown);
    assert.deepEqual(await found(before, after), [
      ['missing', '__proto__'],
      ['missing', 'toString'],
    ]);
  });

  it('accept numbers within the relative tolerance, deep inside', async () => {
    const nested = (value: number) => ({ scores: [{ value }] });
    assert.deepEqual(await found(nested(100), nested(100.9), { numbers: 0.01 }), []);
    assert.deepEqual(await found(nested(100), nested(102), { numbers: 0.01 }), [['number', 'scores', 0, 'value']]);
    assert.deepEqual(await found(nested(0), nested(0.001), { numbers: 0.01 }), [['number', 'scores', 0, 'value']]);
    assert.deepEqual(await found(nested(-1), nested(1), { numbers: 1 }), [['number', 'scores', 0, 'value']]);
    assert.deepEqual(await found(nested(1), nested(1 + Number.EPSILON)), [['number', 'scores', 0, 'value']]);
  });

  it('accept texts of which few characters differ', async () => {
    assert.deepEqual(await found('a castle on a hill', 'a castle on the hill'), [['text']]);
    assert.deepEqual(await found('a castle on a hill', 'a castle on the hill', { text: 0.2 }), []);
    assert.equal(textDifference('', ''), 0);
    assert.equal(textDifference('', 'abcd'), 1);
    assert.equal(textDifference('abcd', 'abxd'), 0.25);
  });

  it('compare long texts in bounded time', () => {
    const [before, after] = ['a', 'b'].map((letter) => `start ${letter.repeat(1_000_000)} end`) as [string, string];
    const fraction = textDifference(before, after);
    assert.ok(fraction > 0.99 && fraction < 1);
  });

  describe('with images', () => {
    const size = 20;
    const pixels = (changed: number): Buffer => {
      const data = Buffer.alloc(4 * size * size, 0xff);
      for (let pixel = 0; pixel < changed; pixel++) data[4 * pixel] = 0;
      return data;
    };
    const png = (changed: number, options: object = {}): string => {
      const image = new PNG({ width: size, height: size });
      image.data = pixels(changed);
      return PNG.sync.write(image, options).toString('base64');
    };
    const uri = (base64: string, type = 'png') => `data:image/${type};base64,${base64}`;

    it('accept other files with the same pixels', async () => {
      const [small, large] = [png(3), png(3, { deflateLevel: 0 })];
      assert.notEqual(small, large);
      assert.deepEqual(await found({ image: uri(small) }, { image: uri(large) }), []);
      assert.deepEqual(await found(small, large), []);
    });

    it('accept a fraction of other pixels', async () => {
      const [difference] = await compareOutputs(uri(png(0)), uri(png(40)), { images: 0.05 });
      assert.deepEqual([difference?.kind, difference?.fraction], ['image', 0.1]);
      assert.deepEqual(await found(uri(png(0)), uri(png(40)), { images: 0.1 }), []);
    });

    it('compare JPEG files', async () => {
      const jpeg = (changed: number) =>
        uri(encode({ width: size, height: size, data: pixels(changed) }, 90).data.toString('base64'), 'jpeg');
      assert.deepEqual(await found(jpeg(0), jpeg(0)), []);
      assert.deepEqual(await found(jpeg(0), jpeg(200)), [['image']]);
    });

    it('differ in their size, and as files if they cannot be decoded', async () => {
      const other = new PNG({ width: size, height: size + 1 });
      assert.deepEqual(await found(uri(png(0)), uri(PNG.sync.write(other).toString('base64'))), [['imageSize']]);
      const damaged = Buffer.from(png(1), 'base64').subarray(0, -30).toString('base64');
      assert.deepEqual(await found(uri(png(1)), uri(damaged)), [['imageFile']]);
      // Nothing limits the size of a decompressed interlaced file.
      const interlaced = (level: number) =>
        uri(pngOfParts(1, 1, deflateSync(Buffer.alloc(5), { level }), { interlaced: true }).toString('base64'));
      assert.deepEqual(await found(interlaced(0), interlaced(9)), [['imageFile']]);
      assert.deepEqual(await found(uri('AAAA', 'webp'), uri('AAAB', 'webp')), [['imageFile']]);
      assert.deepEqual(await found(uri(png(0)), 'no image'), [['text']]);
    });
  });

  it('are reported with at most this many differences, and at any depth', async () => {
    assert.equal((await compareOutputs(new Array(100).fill(1), new Array(100).fill(2))).length, MAX_DIFFERENCES);
    const deep = (value: unknown): unknown => {
      let nested = value;
      for (let level = 0; level < 10_000; level++) nested = [nested];
      return nested;
    };
    const [difference] = await compareOutputs(deep(1), deep(2));
    assert.equal(difference?.kind, 'value');
    assert.equal(typeof difference.before, 'string');
  });

  it('are reported with the beginning of large values', async () => {
    const [long, other] = ['a'.repeat(1_000_000), 'b'.repeat(1_000_000)];
    for (const [before, after] of [
      [long, other],
      [{ deep: [long] }, null],
      [undefined, Array.from({ length: 100_000 }, (_, index) => index)],
    ])
      assert.ok(JSON.stringify(await compareOutputs({ before }, { before: after })).length < 40_000);
  });
});
