import assert from 'node:assert/strict';
import { imagesIn, imageWords } from '../../../../src/features/jobs/results/resultImages.ts';
import { assertLinear } from '../../../support/growth.ts';

const bytes = (text: string) => Buffer.from(text.replaceAll(' ', ''), 'hex');
const PNG = bytes('89504e470d0a1a0a 0000000d 49484452 00000280 000001e0 08060000 00').toString('base64');
const headers = {
  png: Buffer.from(PNG, 'base64'),
  gif: bytes('474946383961 8002 e001 f70000'),
  jpeg: bytes('ffd8 ffe0 0010 4a46494600010100000100010000 ffc0 0011 08 01e0 0280 03 012200'),
  lossy: bytes('52494646 00000000 57454250 56503820 0a000000 000000 9d012a 8002 e001'),
  lossless: bytes('52494646 00000000 57454250 5650384c 05000000 2f 7fc27700 00'),
  extended: bytes('52494646 00000000 57454250 56503858 0a000000 00000000 7f0200 df0100'),
};

describe('Images of a result', () => {
  const wordsOf = (content: Buffer) =>
    imagesIn(`data:image/avif;base64,${content.toString('base64')}`)
      .map(imageWords)
      .join();
  const kindsOf = (output: unknown) => imagesIn(output).map(({ kind, path }) => [kind, path]);

  it('are data URLs, base64 texts of images, and addresses of images, in the order of the output', () => {
    const bare = Buffer.concat([headers.png, Buffer.alloc(60)]).toString('base64');
    const output = {
      images: [`data:image/png;base64,${PNG}`, { image: bare }],
      file: 'https://example.com/a/cat.PNG?size=1#x',
      image_url: 'https://cdn.example.com/results/1234',
      message: { type: 'image_url', image_url: { url: 'https://cdn.example.com/5678' } },
    };
    assert.deepEqual(kindsOf(output), [
      ['embedded', ['images', 0]],
      ['embedded', ['images', 1, 'image']],
      ['remote', ['file']],
      ['remote', ['image_url']],
      ['remote', ['message', 'image_url', 'url']],
    ]);
    assert.deepEqual(kindsOf(`data:image/png;base64,${PNG}`), [['embedded', []]]);
  });

  it('are not texts, other data, or addresses of other schemes', () => {
    const output = [
      'see cat.png',
      'data:text/plain;base64,aGk=',
      'iVBORw0KGgo',
      `UklGR${'A'.repeat(100)}`,
      'file:///etc/cat.png',
      'javascript:alert(1)//.png',
      'https://example.com/page',
      'http://[::1/cat.png',
    ];
    assert.deepEqual(kindsOf(output), []);
  });

  it('have a description', () => {
    const output = [
      `data:image/png;base64,${PNG}`,
      'data:image/svg+xml;base64,PHN2Zy8+',
      'https://example.com:8080/a.png',
    ];
    assert.deepEqual(imagesIn(output).map(imageWords), ['PNG, 640×480, 29 B', 'SVG, 6 B', 'example.com:8080']);
  });

  it('have the format and the dimensions of PNG, GIF, JPEG, and WebP files', () => {
    const formats = { png: 'PNG', gif: 'GIF', jpeg: 'JPEG', lossy: 'WebP', lossless: 'WebP', extended: 'WebP' };
    for (const [name, format] of Object.entries(formats))
      assert.match(wordsOf(headers[name as keyof typeof headers]), new RegExp(`^${format}, 640×480, `), name);
  });

  it('have no dimensions if the file is cut', () => {
    for (const [name, length] of [
      ['png', 12],
      ['gif', 7],
      ['jpeg', 10],
      ['lossy', 20],
      ['extended', 20],
    ] as const)
      assert.equal(wordsOf(headers[name].subarray(0, length)), `AVIF, ${length} B`, name);
  });

  it('have the extension of their content, not of their type', () => {
    const [image] = imagesIn(`data:image/jpeg;base64,${PNG}`);
    assert.ok(image?.kind === 'embedded');
    assert.equal(image.extension, 'png');
  });

  it('are limited to 50', () => {
    assert.equal(imagesIn(Array(100).fill('https://example.com/a.png')).length, 50);
  });

  it('are found in linear time at any depth', () => {
    const deep = (size: number) => JSON.parse(`${'{"a":["",'.repeat(size)}0${']}'.repeat(size)}`) as unknown;
    assertLinear([4_000, 16_000, 64_000], deep, imagesIn);
  });
});
