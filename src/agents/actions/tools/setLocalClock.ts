import * as l10n from '@vscode/l10n';
import { ClockChange } from '../../../contract/control/control.ts';
import { duration } from '../../../text/quantities.ts';
import { agentTool } from '../agentTool.ts';

export const setLocalClock = agentTool({
  name: 'set_local_clock',
  title: 'Set Local Clock',
  summary: 'Freezes, advances, or unfreezes the clock of the local platform.',
  icon: 'watch',
  description:
    'Freezes, advances, or unfreezes the clock of the local platform, which controls waiting, expiration, idle timeouts, and billing. Everything that is due in the time happens at once. ' +
    'Use it to test what happens after hours or days, such as expired results or a bill, without waiting. The clock never goes back. Returns the new time. Never changes a hosted platform. Costs nothing.',
  input: ClockChange,
  effect: 'change',
  commands: ['cloudCompute.localPlatform.setClock'],
  progress: () => l10n.t('Setting the clock of the local platform'),
  confirm: ({ frozen, advanceMs, now }) => {
    const acts = [
      ...(advanceMs === undefined ? [] : [l10n.t`advance by ${duration(advanceMs / 1_000)}`]),
      ...(now === undefined ? [] : [l10n.t`advance to ${now}`]),
      ...(frozen === undefined ? [] : [frozen ? 'freeze' : 'unfreeze']),
    ];
    return Promise.resolve({
      title: l10n.t`Change the clock of the local platform: ${acts.join(l10n.t(' and '))}?`,
      lines: [
        l10n.t('Jobs and results that are due in that time expire, and idle workers stop. The clock cannot go back.'),
      ],
    });
  },
  run: async (change, { localPlatform, signal }) => {
    const control = await localPlatform.control();
    return control.setClock({ body: change }, { signal });
  },
});
