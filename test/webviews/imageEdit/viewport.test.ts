import assert from 'node:assert/strict';
import { CENTER, moved, placed, stepped, zoomOfKey, type Size } from '../../../src/webviews/imageEdit/viewport.ts';
import { durationText, expiryText, sizeText } from '../../../src/webviews/imageEdit/words.ts';

const frame: Size = { width: 400, height: 300 };
const photo: Size = { width: 4_000, height: 2_000 };

describe('the place of a picture in its frame', () => {
  it('shows the whole picture in the middle, and magnifies a tiny one at most eight times', () => {
    assert.deepEqual(placed(photo, frame, { zoom: 'fit', center: CENTER, ratio: 1 }), {
      ...{ width: 400, height: 200, left: 0, top: 50, scale: 0.1 },
    });
    assert.equal(placed({ width: 4, height: 4 }, frame, { zoom: 'fit', center: CENTER, ratio: 1 }).width, 32);
  });

  it('shows each pixel of the picture as whole pixels of the device', () => {
    for (const ratio of [1, 1.5, 2]) {
      const { width } = placed(photo, frame, { zoom: 4, center: CENTER, ratio });
      assert.equal(width * ratio, photo.width * 4);
    }
  });

  it('keeps a large picture over the whole frame, however far it moves', () => {
    const { width, height } = placed(photo, frame, { zoom: 1, center: CENTER, ratio: 1 });
    for (const by of [-1e6, 1e6]) {
      const center = moved(CENTER, { x: by, y: by }, { width, height }, frame);
      const { left, top } = placed(photo, frame, { zoom: 1, center, ratio: 1 });
      assert.deepEqual([left, top], by > 0 ? [0, 0] : [frame.width - width, frame.height - height]);
      const back = moved(center, { x: -Math.sign(by) * 10, y: 0 }, { width, height }, frame);
      const after = placed(photo, frame, { zoom: 1, center: back, ratio: 1 });
      assert.ok(Math.abs(after.left - left + Math.sign(by) * 10) < 1e-6, 'the next movement has an effect at once');
    }
  });

  it('zooms in steps and by keys', () => {
    assert.deepEqual([stepped('fit', -1), stepped('fit', 1), stepped(8, 1), stepped(16, 1)], ['fit', 1, 16, 16]);
    assert.deepEqual(
      ['+', '-', '0', '1', 'x'].map((key) => zoomOfKey(key, 2)),
      [4, 1, 'fit', 1, undefined],
    );
  });
});

describe('the words of the image editor', () => {
  it('describe durations, sizes, and the time until an address expires', () => {
    assert.deepEqual([12, 1_400, 125_000].map(durationText), ['12 ms', '1.4 s', '2 min 5 s']);
    assert.deepEqual([410, 5_300, 1_048_577].map(sizeText), ['410 B', '5.2 KB', '1.1 MB']);
    const left = (ms: number) => expiryText(1e12 + ms, 1e12);
    assert.deepEqual([7 * 86_400_000, 86_399_000, 61_500, 59_900, 10, 0, -5].map(left), [
      ...['Expires in 7 d 0 h', 'Expires in 23 h 59 min', 'Expires in 1 min 1 s', 'Expires in 59 s', 'Expires in 1 s'],
      ...['Expired', 'Expired'],
    ]);
  });
});
