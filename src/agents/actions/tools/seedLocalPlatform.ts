import * as l10n from '@vscode/l10n';
import * as z from 'zod';
import { Seed } from '../../../contract/control/control.ts';
import {
  InvalidSeedError,
  MAX_SEED_BYTES,
  processesIn,
  readSeed,
  seedCounts,
  seedPlatform,
  type SeedInput,
} from '../../../features/local/platform/actions/controlPlatform.ts';
import { ToolError } from '../../model/toolError.ts';
import { agentTool, type ToolContext } from '../agentTool.ts';

const { jobs, usage } = Seed.shape;

const input = z.strictObject({
  file: z
    .string()
    .optional()
    .describe(
      'Path of a seed in the workspace, in YAML or JSON, which can also contain endpoints, templates, and accounts. Give either file, or jobs and usage.',
    ),
  jobs: jobs
    .unwrap()
    .max(1_000)
    .optional()
    .describe('Jobs to create on existing endpoints, in any state but IN_PROGRESS.'),
  usage: usage.unwrap().max(1_000).optional().describe('Usage to add to the bills, such as to test billing_summary.'),
});

export const seedLocalPlatform = agentTool({
  name: 'seed_local_platform',
  title: 'Seed Local Platform',
  summary: 'Adds test data to the local platform.',
  icon: 'database',
  description:
    'Adds test data to the local platform, atomically: past jobs with their results, usage in the bills, or a seed file of the workspace. Only ever changes the local platform of this machine, never a hosted one. ' +
    'Use it to set up a situation to test. Returns the IDs of the created objects. To create an endpoint that runs a command, call create_endpoint, because a seed must not contain one. There is no undo except a reset by the user.',
  input,
  effect: 'change',
  commands: ['cloudCompute.localPlatform.seed'],
  progress: () => l10n.t('Adding test data to the local platform'),
  confirm: async (call, context) => {
    const seed = await seedOf(call, context);
    return {
      title: l10n.t('Add test data to the local platform?'),
      lines: [
        l10n.t`Adds ${seedCounts(seed).join(', ')}.`,
        ...(call.file === undefined ? [] : [l10n.t`File: ${call.file}`]),
        l10n.t('Costs nothing. Only a reset of the platform removes them together.'),
      ],
      content: JSON.stringify(seed),
    };
  },
  run: async (call, context) => {
    const control = await context.localPlatform.control();
    const seed = await seedOf(call, context);
    // The keys of created accounts are secrets.
    const { keys, ...created } = await seedPlatform(control, seed, { signal: context.signal });
    return { created, ...(keys.length > 0 && { keysCreated: keys.length }) };
  },
});

async function seedOf(
  { file, jobs: newJobs, usage: newUsage }: z.infer<typeof input>,
  { files }: Pick<ToolContext, 'files'>,
): Promise<SeedInput> {
  const isInline = newJobs !== undefined || newUsage !== undefined;
  if ((file === undefined) !== isInline) throw new ToolError('invalidInput', 'Give either file, or jobs and usage.');
  const seed = file === undefined ? { jobs: newJobs, usage: newUsage } : await seedIn(file, files);
  if (seedCounts(seed).length === 0) throw new ToolError('invalidInput', 'The seed contains nothing.');
  const [name] = processesIn(seed);
  if (name !== undefined)
    throw new ToolError(
      'invalidInput',
      `“${name}” would run a command as a process on this machine. Create it with create_endpoint, which shows the command to the user.`,
    );
  return seed;
}

async function seedIn(file: string, files: ToolContext['files']): Promise<SeedInput> {
  try {
    return readSeed(new TextDecoder().decode(await files.read(file, MAX_SEED_BYTES)));
  } catch (error) {
    throw error instanceof InvalidSeedError ? new ToolError('invalidInput', `${file}: ${error.message}`) : error;
  }
}
