import assert from 'node:assert/strict';
import { deflateSync } from 'node:zlib';
import { MAX_EMBEDDED_IMAGE_BYTES } from '../../../../src/contract/imageModel.ts';
import { MAX_RUN_SYNC_BYTES } from '../../../../src/contract/job.ts';
import { acceptsFiles, readImageFile, SourceError } from '../../../../src/features/images/actions/readSource.ts';
import { gradient, jpegOf, png, pngOf } from '../../../platform/images/support.ts';

const read = (bytes: Uint8Array) => readImageFile(bytes, 'photos/a.png');

function refused(bytes: Uint8Array, code: SourceError['code'], message: RegExp): void {
  assert.throws(
    () => read(bytes),
    (error) => error instanceof SourceError && error.code === code && message.test(error.message),
  );
}

describe('the source of an image edit', () => {
  it('is a PNG or JPEG file, by its content and not by its name', () => {
    const picture = gradient(30, 20);
    const kinds = [pngOf(picture), jpegOf(picture)].map(read);
    assert.deepEqual(
      kinds.map(({ source, width, height }) => [source.mediaType, width, height]),
      [
        ['image/png', 30, 20],
        ['image/jpeg', 30, 20],
      ],
    );
    assert.equal(kinds[0]?.source.name, 'photos/a.png');
  });

  it('is refused if it is empty, damaged, or in another format', () => {
    refused(Buffer.alloc(0), 'empty', /empty/);
    refused(Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>'), 'format', /is SVG\. Use PNG or JPEG/);
    refused(Buffer.from('RIFF    WEBPVP8 '), 'format', /is WebP/);
    refused(Buffer.from('GIF89a'), 'format', /is GIF/);
    refused(Buffer.from('hello'), 'format', /unknown/);
    refused(pngOf(gradient(4, 4)).subarray(0, 12), 'damaged', /damaged/);
    refused(Buffer.from([0xff, 0xd8, 0xff, 0xe0, 0, 4]), 'damaged', /damaged/);
  });

  it('is refused if it has 30 MB or 60 megapixels', () => {
    const large = Buffer.concat([pngOf(gradient(4, 4)), Buffer.alloc(30 * 1_048_576)]);
    refused(large, 'tooLarge', /has 30\.1 MB, and the limit is 14 MB\. Save a smaller version\.$/);
    const wide = png(10_000, 6_000, deflateSync(Buffer.alloc(10)));
    refused(wide, 'tooManyPixels', /10000 × 6000 .* 24 megapixels\. Save a smaller version\.$/);
  });

  it('has at most the size that a request can contain', () => {
    const base64 = Math.ceil(MAX_EMBEDDED_IMAGE_BYTES / 3) * 4;
    // Each character of both prompts can take six bytes in JSON.
    assert.ok(base64 + 2 * 4_000 * 6 + 1_000 < MAX_RUN_SYNC_BYTES);
  });

  it('is a file only on local platforms', () => {
    assert.deepEqual([acceptsFiles('local'), acceptsFiles('hosted')], [true, false]);
  });
});
