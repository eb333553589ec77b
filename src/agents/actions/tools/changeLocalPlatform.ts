import * as l10n from '@vscode/l10n';
import * as z from 'zod';
import type { ControlClient } from '../../../client/controlClient.ts';
import { ClockChange, Fault, Seed } from '../../../contract/control/control.ts';
import { duration } from '../../../text/quantities.ts';
import {
  ALL_FAULTS,
  changeFaults,
  faultWords,
  InvalidSeedError,
  MAX_SEED_BYTES,
  processesIn,
  readSeed,
  seedCounts,
  seedPlatform,
  type SeedInput,
} from '../../../features/local/platform/actions/controlPlatform.ts';
import { ToolError } from '../../model/toolError.ts';
import { changeTool, type Plan, type ToolContext } from '../agentTool.ts';

const { jobs, usage } = Seed.shape;

const FaultChange = z
  .strictObject({
    remove: z
      .string()
      .min(1)
      .max(100)
      .optional()
      .describe(`ID of a fault to remove, or ${ALL_FAULTS} for all of them. Happens before add.`),
    add: Fault.optional().describe('Fault to add. It needs status, drop, or delayMs.'),
  })
  .refine(({ add, remove }) => (add ?? remove) !== undefined, 'give add, remove, or both');

const TestData = z
  .strictObject({
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
    usage: usage.unwrap().max(1_000).optional().describe('Usage to add to the bills, such as to test read_billing.'),
  })
  .refine(
    (seed) => (seed.file === undefined) === ((seed.jobs ?? seed.usage) !== undefined),
    'give either file, or jobs and usage',
  );

export const changeLocalPlatform = changeTool({
  name: 'change_local_platform',
  title: 'Change Local Platform',
  summary: 'Sets the clock and the faults of the local platform, or adds test data to it.',
  icon: 'beaker',
  description:
    'Changes the local platform of this machine, to set up a situation to test. Never changes a hosted platform. Costs nothing. Give exactly one of these: ' +
    'clock freezes, advances, or unfreezes its clock, which controls waiting, expiration, idle timeouts, and billing. Everything that is due in that time happens at once, and the clock never goes back. ' +
    'faults makes requests of one operation fail with a status, wait, or lose their connection. Give count, or remove the fault afterwards, because it also affects the editor and these tools. ' +
    'seed adds past jobs with their results, usage in the bills, or a seed file of the workspace, atomically. To create an endpoint that runs a command, call deploy_endpoint, because a seed must not contain one. There is no undo except a reset by the user. ' +
    'Returns the new time, the active faults, or the IDs of the created objects.',
  input: z
    .strictObject({
      clock: ClockChange.optional().describe('Change of the clock.'),
      faults: FaultChange.optional().describe('Faults to add and remove.'),
      seed: TestData.optional().describe('Test data to add.'),
    })
    .refine(
      (input) => Object.values(input).filter((each) => each !== undefined).length === 1,
      'give exactly one of clock, faults, and seed',
    ),
  effect: 'change',
  commands: [
    'cloudCompute.localPlatform.setClock',
    'cloudCompute.localPlatform.setFaults',
    'cloudCompute.localPlatform.seed',
  ],
  progress: ({ clock, faults }) => {
    if (clock) return l10n.t('Setting the clock of the local platform');
    return faults
      ? l10n.t('Changing the faults of the local platform')
      : l10n.t('Adding test data to the local platform');
  },
  plan: async ({ clock, faults, seed }, { localPlatform, files, signal }) => {
    const control = await localPlatform.control();
    if (clock) return clockPlan(clock, control, signal);
    if (faults) return faultPlan(faults, control, signal);
    return seedPlan(seed ?? {}, control, { files, signal });
  },
});

function clockPlan(change: ClockChange, control: ControlClient, signal: AbortSignal): Required<Plan> {
  const { frozen, advanceMs, now } = change;
  const acts = [
    ...(advanceMs === undefined ? [] : [l10n.t`advance by ${duration(advanceMs / 1_000)}`]),
    ...(now === undefined ? [] : [l10n.t`advance to ${now}`]),
    ...(frozen === undefined ? [] : [frozen ? 'freeze' : 'unfreeze']),
  ];
  return {
    question: {
      title: l10n.t`Change the clock of the local platform: ${acts.join(l10n.t(' and '))}?`,
      lines: [
        l10n.t('Jobs and results that are due in that time expire, and idle workers stop. The clock cannot go back.'),
      ],
    },
    act: () => control.setClock({ body: change }, { signal }),
  };
}

function faultPlan(change: z.infer<typeof FaultChange>, control: ControlClient, signal: AbortSignal): Required<Plan> {
  const { add, remove } = change;
  const removed = remove === ALL_FAULTS ? l10n.t('Removes all faults.') : l10n.t`Removes the fault ${remove ?? ''}.`;
  return {
    question: {
      title: l10n.t('Change the faults of the local platform?'),
      lines: [
        ...(remove === undefined ? [] : [removed]),
        ...(add ? [l10n.t`Adds a fault: ${faultWords(add)}.`] : []),
        l10n.t('Costs nothing. All programs that use the local platform are affected.'),
      ],
    },
    act: async () => ({ faults: await changeFaults(control, change, { signal }) }),
  };
}

async function seedPlan(
  given: z.infer<typeof TestData>,
  control: ControlClient,
  { files, signal }: Pick<ToolContext, 'files' | 'signal'>,
): Promise<Required<Plan>> {
  const { file, ...inline } = given;
  const seed = file === undefined ? inline : await seedIn(file, files);
  if (seedCounts(seed).length === 0) throw new ToolError('invalidInput', 'The seed contains nothing.');
  const [name] = processesIn(seed);
  if (name !== undefined)
    throw new ToolError(
      'invalidInput',
      `“${name}” would run a command as a process on this machine. Create it with deploy_endpoint, which shows the command to the user.`,
    );
  return {
    question: {
      title: l10n.t('Add test data to the local platform?'),
      lines: [
        l10n.t`Adds ${seedCounts(seed).join(', ')}.`,
        ...(file === undefined ? [] : [l10n.t`File: ${file}`]),
        l10n.t('Costs nothing. Only resetting the platform removes all of it at once.'),
      ],
      content: JSON.stringify(seed),
    },
    act: async () => {
      // The keys of created accounts are secrets.
      const { keys, ...created } = await seedPlatform(control, seed, { signal });
      return { created, ...(keys.length > 0 && { keysCreated: keys.length }) };
    },
  };
}

async function seedIn(file: string, files: ToolContext['files']): Promise<SeedInput> {
  try {
    return readSeed(new TextDecoder().decode(await files.read(file, MAX_SEED_BYTES)));
  } catch (error) {
    throw error instanceof InvalidSeedError ? new ToolError('invalidInput', `${file}: ${error.message}`) : error;
  }
}
