import assert from 'node:assert/strict';
import { operations } from '../../../src/contract/operations.ts';
import { OWNER_ACCOUNT_ID } from '../../../src/platform/domain/account.ts';
import { EditThread } from '../../../src/platform/images/editThread.ts';
import { imageQueue } from '../../../src/platform/domain/imageQueue.ts';
import { gradient, pngOf } from '../images/support.ts';
import { jobsOf } from './contents.ts';
import type { Call, FailureWorld } from './failureWorld.ts';
import { sweep } from './sweep.ts';

const image = `data:image/png;base64,${pngOf(gradient(8, 8)).toString('base64')}`;

describe('Image edits on a full disk', () => {
  const threads = EditThread.prototype as unknown as { run: () => Promise<Uint8Array> };
  const { run } = threads;
  // The threads have separate tests, and each takes longer to start than all other steps.
  before(() => (threads.run = () => Promise.resolve(pngOf(gradient(1, 1)))));
  after(() => (threads.run = run));

  const edit = (world: FailureWorld, prompt: string): Call =>
    world.call(operations.editImage, { body: { input: { prompt, image } } });

  /** Waits for an edit. Its loading and fetching do not depend on the clock. */
  const untilEnded = async (world: FailureWorld, call: Call): Promise<void> => {
    const { images } = world.services;
    const isAtRest = (): boolean => call.answer !== undefined || images.health().running === 0;
    await world.settle();
    await world.until('the edit has ended', isAtRest);
    await world.settle();
  };

  sweep({
    name: 'a successful edit',
    arrange: () => undefined,
    act: async (world) => {
      const call = edit(world, 'invert');
      await untilEnded(world, call);
      return call;
    },
    recover: async (world) => {
      await world.advance(5_000);
      await world.until('no edit is pending', () => isIdle(world));
    },
    verify: (world) => {
      const edits = jobsOf(world.store, imageQueue(OWNER_ACCOUNT_ID));
      assert.deepEqual(
        edits.map(({ status, error }) => [status, error]),
        [['COMPLETED', undefined]],
      );
      const { image_url: url } = edits[0]?.output as { image_url: string };
      assert.ok(world.services.images.image(url.slice(url.lastIndexOf('/') + 1)), 'the image is stored');
    },
  });
  sweep({
    name: 'a failed edit',
    arrange: () => undefined,
    act: async (world) => {
      const call = edit(world, 'zzz qqq');
      await untilEnded(world, call);
      return call;
    },
  });

  const isIdle = (world: FailureWorld): boolean => {
    const { IN_QUEUE, IN_PROGRESS } = world.store.jobs.count(imageQueue(OWNER_ACCOUNT_ID));
    return IN_QUEUE + IN_PROGRESS === 0;
  };
});
