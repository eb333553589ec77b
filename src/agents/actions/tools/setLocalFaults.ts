import * as l10n from '@vscode/l10n';
import * as z from 'zod';
import { Fault } from '../../../contract/control/control.ts';
import { ALL_FAULTS, changeFaults, faultWords } from '../../../features/local/platform/actions/controlPlatform.ts';
import { agentTool } from '../agentTool.ts';

export const setLocalFaults = agentTool({
  name: 'set_local_faults',
  title: 'Set Local Faults',
  summary: 'Makes requests to the local platform fail, wait, or lose their connection.',
  icon: 'zap',
  description:
    'Adds a fault that makes requests of one operation of the local platform fail with a status, wait, or lose their connection, or removes faults. Use it to test how a program behaves when the platform fails. ' +
    'Give count, or remove the fault afterwards, because it also affects the editor and these tools. Returns the active faults with the number of affected requests. Never changes a hosted platform. Costs nothing.',
  input: z
    .strictObject({
      remove: z
        .string()
        .min(1)
        .max(100)
        .optional()
        .describe(`ID of a fault to remove, or ${ALL_FAULTS} for all of them. Happens before add.`),
      add: Fault.optional().describe('Fault to add. It needs status, drop, or delayMs.'),
    })
    .refine(({ add, remove }) => (add ?? remove) !== undefined, 'give add, remove, or both'),
  effect: 'change',
  commands: ['cloudCompute.localPlatform.setFaults'],
  progress: () => l10n.t('Changing the faults of the local platform'),
  confirm: ({ add, remove }) => {
    const parts = [
      ...(remove === undefined
        ? []
        : [remove === ALL_FAULTS ? l10n.t('Removes all faults.') : l10n.t`Removes the fault ${remove}.`]),
      ...(add ? [l10n.t`Adds a fault: ${faultWords(add)}.`] : []),
    ];
    return Promise.resolve({
      title: l10n.t('Change the faults of the local platform?'),
      lines: [...parts, l10n.t('Costs nothing. All programs that use the local platform are affected.')],
    });
  },
  run: async (change, { localPlatform, signal }) => ({
    faults: await changeFaults(await localPlatform.control(), change, { signal }),
  }),
});
