import * as z from 'zod';

/** Settings of an endpoint that only the local platform has. They are never sent to another platform. */
export const LocalSettings = z
  .strictObject({
    gpu: z
      .literal('ignore')
      .optional()
      .meta({
        description: 'ignore: the workers of a GPU endpoint run without GPUs. Default: each worker has its GPUs.',
        examples: ['ignore'],
      }),
  })
  .meta({
    description: 'Settings for the local platform. Not sent to any other platform. Default: none.',
    examples: [{ gpu: 'ignore' }],
  });
export type LocalSettings = z.infer<typeof LocalSettings>;
