import * as l10n from '@vscode/l10n';
import * as z from 'zod';
import { readTool } from '../agentTool.ts';

const MAX_REQUESTS = 20;

export const readLocalPlatform = readTool({
  name: 'read_local_platform',
  title: 'Read Local Platform',
  summary: 'Reads the clock, the faults, and the last requests of the local platform.',
  icon: 'vm-running',
  description:
    'Returns whether the local platform of this machine runs, its clock and its active faults (which change_local_platform sets), and its last requests with their status. ' +
    'Use it to find out why requests to the local platform fail or wait. Changes nothing and costs nothing.',
  input: z.strictObject({
    failedOnly: z.boolean().default(false).describe('true: only failed requests. Default: false.'),
  }),
  commands: ['cloudCompute.localPlatform.manage', 'cloudCompute.localPlatform.openLog'],
  progress: () => l10n.t('Reading the state of the local platform'),
  read: async ({ failedOnly }, { localPlatform, signal }) => {
    if (!localPlatform.isRunning) return { running: false, next: 'Call start_local_platform to start it.' };
    const control = await localPlatform.control();
    const query = { limit: MAX_REQUESTS, ...(failedOnly && { failed: true }) };
    const [clock, { faults }, { requests }] = await Promise.all([
      control.getClock({}, { signal }),
      control.listFaults({}, { signal }),
      control.listRequests({ query }, { signal }),
    ]);
    return { running: true, clock, faults, requests };
  },
});
