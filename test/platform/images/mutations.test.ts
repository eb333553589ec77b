import assert from 'node:assert/strict';
import { crc32 } from 'node:zlib';
import { systemClock } from '../../../src/platform/time/clock.ts';
import { kindOf } from '../../../src/machine/images/kind.ts';
import { EditThread } from '../../../src/platform/images/editThread.ts';
import { EditError } from '../../../src/platform/images/picture.ts';
import { seededRandom } from '../../support/seededRandom.ts';
import { afterwards, cleanUp } from '../support.ts';
import { gradient, jpegOf, pngOf } from './support.ts';

const MUTATIONS = 300;
const signal = new AbortController().signal;

const ORIGINALS = {
  PNG: pngOf(gradient(40, 30)),
  JPEG: jpegOf(gradient(40, 30)),
};

type Random = (below: number) => number;

/** Mutations of a file. Each makes a small change that keeps the file type. */
const CHANGES: readonly ((file: Buffer, at: number, random: Random) => Buffer)[] = [
  (file, at, random) => overwrite(file, at, [(file[at] ?? 0) ^ (1 << random(8))]),
  (file, at, random) => overwrite(file, at, [random(256)]),
  (file, at, random) => overwrite(file, at, [0xff, 0xff, 0xff, 0xff].slice(random(4))),
  (file, at, random) =>
    overwrite(
      file,
      at,
      Array.from({ length: 1 + random(40) }, () => random(256)),
    ),
  (file, at) => file.subarray(0, at),
  (file, at, random) => Buffer.concat([file.subarray(0, at), file.subarray(at + 1 + random(20))]),
  (file, at, random) => Buffer.concat([file.subarray(0, at), file.subarray(at - random(Math.min(at, 60)))]),
];

function overwrite(file: Buffer, at: number, bytes: readonly number[]): Buffer {
  const changed = Buffer.from(file);
  changed.set(bytes.slice(0, file.length - at), at);
  return changed;
}

function mutation(original: Buffer, seed: number): Buffer {
  const next = seededRandom(seed);
  const random: Random = (below) => Math.floor(next() * below);
  let file = original;
  for (let count = 1 + random(3); count > 0; count--) {
    const change = CHANGES[random(CHANGES.length)];
    // Starts after the bytes that identify the file type.
    if (change && file.length > 10) file = change(file, 8 + random(file.length - 8), random);
  }
  return kindOf(file) === 'PNG' ? withChecksums(file) : file;
}

/** Updates the checksums of a PNG's chunks where possible. Otherwise the decoder would reject the file before it reads them. */
function withChecksums(file: Buffer): Buffer {
  const result = Buffer.from(file);
  for (let at = 8; at + 12 <= result.length;) {
    const end = at + 8 + result.readUInt32BE(at);
    if (end + 4 > result.length) break;
    result.writeUInt32BE(crc32(result.subarray(at + 4, end)), end);
    at = end + 4;
  }
  return result;
}

describe('Damaged images', () => {
  after(cleanUp);

  for (const [kind, original] of Object.entries(ORIGINALS)) {
    it(`in ${kind} format are edited or refused with a reason, within the limits of an edit`, async () => {
      const thread = new EditThread(systemClock);
      afterwards(() => thread.close());
      const answers = { edited: 0, refused: 0 };
      for (let seed = 1; seed <= MUTATIONS; seed++) {
        const request = {
          image: mutation(original, seed),
          prompt: 'invert',
          negativePrompt: undefined,
          seed,
          format: 'png',
        } as const;
        try {
          await thread.run(request, signal);
          answers.edited++;
        } catch (error) {
          assert.ok(error instanceof EditError, `seed ${seed}: ${(error as Error).stack}`);
          assert.match(error.message, /damaged|too large|no pixels|must be a PNG or JPEG file/, `seed ${seed}`);
          answers.refused++;
        }
      }
      assert.ok(answers.edited > 5 && answers.refused > 5, JSON.stringify(answers));
    });
  }
});
