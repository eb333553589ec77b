import assert from 'node:assert/strict';
import { decode } from '../../../src/platform/images/codecs/decode.ts';
import { EditError } from '../../../src/platform/images/pixels/picture.ts';
import { packCodes, gifOf } from './gifSupport.ts';
import { pixelAt, pixelsOf } from './support.ts';

/** Four colors: 0 is black, 1 red, 2 green, 3 blue. */
const PALETTE = [
  [0, 0, 0],
  [255, 0, 0],
  [0, 255, 0],
  [0, 0, 255],
] as const;
const [CLEAR, END] = [4, 5];

describe('GIF decoder', () => {
  it('refuses codes that refer to themselves', () => {
    // Code 7 is used before code 6 exists. A decoder without a check links code 7 to itself and loops forever.
    const codes = packCodes([CLEAR, 0, 7, 7, 7], [3, 3, 3, 3, 4]);
    assert.throws(() => decode(gifOf(PALETTE, 4, 4, { packed: codes })), /damaged/);
  });

  it('requires a literal value at the start of a table', () => {
    assert.throws(() => decode(gifOf(PALETTE, 2, 1, { packed: packCodes([CLEAR, 6], [3, 3]) })), /damaged/);
  });

  it('requires literals of 1 to 8 bits', () => {
    for (const literalWidth of [0, 9, 12, 255]) {
      assert.throws(() => decode(gifOf(PALETTE, 4, 4, { literalWidth, packed: [0, 0, 0, 0] })), /damaged/);
    }
  });

  it('decodes files of any size without loss', () => {
    for (const [width, height] of [
      [1, 1],
      [3, 2],
      [17, 9],
      [200, 150],
    ] as const) {
      const indices = Uint8Array.from({ length: width * height }, (_, at) => (at * at + (at >> 3)) % 4);
      const picture = decode(gifOf(PALETTE, width, height, { indices }));
      const expected = Array.from({ length: height }, (_row, y) =>
        Array.from({ length: width }, (_pixel, x) => [...(PALETTE[indices[y * width + x] ?? 0] ?? []), 255]),
      );
      assert.deepEqual(pixelsOf(picture), expected, `${width}x${height}`);
    }
  });

  it('decodes a table that fills up and is cleared', () => {
    const [width, height] = [300, 300];
    let state = 1;
    const indices = Uint8Array.from({ length: width * height }, () => {
      state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
      return (state >> 16) % 4;
    });
    const { data } = decode(gifOf(PALETTE, width, height, { indices }));
    assert.ok(indices.every((index, at) => data[at * 4 + 3] === 255 && data[at * 4] === PALETTE[index]?.[0]));
  });

  it('decodes interlaced files', () => {
    const height = 11;
    const order = [0, 8, 4, 2, 6, 10, 1, 3, 5, 7, 9];
    const picture = decode(gifOf(PALETTE, 1, height, { indices: order.map((row) => row % 4), interlaced: true }));
    for (let y = 0; y < height; y++) assert.deepEqual(pixelAt(picture, 0, y).slice(0, 3), PALETTE[y % 4], `row ${y}`);
  });

  it('makes transparent and missing pixels transparent', () => {
    const codes = packCodes([CLEAR, 1, 2, END], [3, 3, 3, 3]);
    const picture = decode(gifOf(PALETTE, 2, 2, { packed: codes, transparent: 2 }));
    assert.deepEqual(pixelsOf(picture), [
      [
        [255, 0, 0, 255],
        [0, 0, 0, 0],
      ],
      [
        [0, 0, 0, 0],
        [0, 0, 0, 0],
      ],
    ]);
  });

  it('ignores data after the first frame', () => {
    const first = gifOf(PALETTE, 1, 1, { indices: [1] });
    // Replaces the trailer with invalid data.
    const file = Buffer.concat([first.subarray(0, -1), Buffer.alloc(1_000, 0x99)]);
    assert.deepEqual(pixelAt(decode(file), 0, 0), [255, 0, 0, 255]);
  });

  it('refuses truncated files', () => {
    const file = gifOf(PALETTE, 8, 8, { indices: new Uint8Array(64) });
    for (let length = 10; length < file.length - 1; length++)
      assert.throws(() => decode(file.subarray(0, length)), EditError, `cut at ${length}`);
  });
});
