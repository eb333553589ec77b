import * as z from 'zod';

/** Maximum number of entries of `preload`, and maximum length of one, in characters. More is a mistake. */
const MAX_ENTRIES = 100;
const MAX_ENTRY = 300;

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
    preload: z
      .array(
        z
          .string()
          .max(MAX_ENTRY)
          .regex(
            /^[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*(?::[A-Za-z_]\w*)?$/,
            'must be module or module:function, such as model:load',
          ),
      )
      .min(1)
      .max(MAX_ENTRIES)
      .optional()
      .meta({
        description:
          'Python modules, and functions without arguments as module:function, that one process loads once. Each start of a worker is a fork of ' +
          'it, and such a function then returns the same result again. For commands that start Python. Default: each start loads everything.',
        examples: [['torch', 'model:load']],
      }),
  })
  .meta({
    description: 'Settings for the local platform. Not sent to any other platform. Default: none.',
    examples: [{ gpu: 'ignore' }],
  });
export type LocalSettings = z.infer<typeof LocalSettings>;

/** Returns those members of `x-local` that the local platform receives. Undefined if there are none. */
export function localSettingsOf(local: LocalSettings | undefined): LocalSettings | undefined {
  // An incomplete manifest has null instead of the section.
  const settings = { ...(local?.gpu && { gpu: local.gpu }), ...(local?.preload && { preload: local.preload }) };
  return Object.keys(settings).length > 0 ? settings : undefined;
}

const PYTHON = /(?:^|[\\/])(?:python|pypy)[\d.]*(?:\.exe)?$/i;

/** Returns whether a program is an interpreter of Python. Accepts the separators of every operating system. */
export const isPython = (program: string): boolean => PYTHON.test(program);
