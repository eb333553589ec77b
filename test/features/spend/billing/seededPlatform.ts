import { createClient } from '../../../../src/client/client.ts';
import { createControlClient } from '../../../../src/client/controlClient.ts';
import { BillingStore } from '../../../../src/features/spend/billing/billingStore.ts';
import { startPlatform } from '../../../../src/platform/daemon/start.ts';
import type { BillingSelection } from '../../../../src/webviews/billing/messages.ts';
import { eventually, settableClock } from '../../../platform/support.ts';
import { steppedClock } from '../../steppedClock.ts';

/** Time of the platform. The clock of the reader shows another time. */
export const NOW = Date.parse('2025-11-21T14:30:00Z');

const usage = (kind: string, resource: string, usd: number, at: string, until?: string) => ({
  kind,
  resource,
  usd,
  at,
  ...(until !== undefined && { until }),
});

/** Two months of usage, with amounts that floating-point numbers cannot add exactly. */
const history = [
  usage('serverlessGpu', 'chat', 123.456789, '2025-09-25T10:00:00Z', '2025-11-20T10:00:00Z'),
  usage('serverlessDisk', 'chat', 0.1, '2025-11-01T00:00:00Z', '2025-11-21T00:00:00Z'),
  usage('serverlessGpu', 'gone0000', 7.7, '2025-11-03T10:00:00Z', '2025-11-05T10:00:00Z'),
  usage('serverlessCpu', 'small', 0.3, '2025-11-10T10:00:00Z', '2025-11-21T14:00:00Z'),
  usage('storageStandard', 'volume01', 2.1, '2025-10-01T00:00:00Z', '2025-11-21T14:00:00Z'),
  usage('storageHighPerformance', 'volume02', 0.2, '2025-11-01T00:00:00Z'),
  usage('podGpu', 'pod00001', 11.11, '2025-11-12T00:00:00Z', '2025-11-13T00:00:00Z'),
  usage('endpoint', 'image-edit', 0.02, '2025-11-21T13:59:59Z'),
];

const endpoint = (id: string, hardware: object) => ({
  id,
  name: id,
  type: 'QUEUE',
  scaling: { type: 'QUEUE_DELAY', queueDelay: 1 },
  image: 'process:/nowhere',
  workers: { min: 0, max: 0 },
  ...hardware,
});

/** Starts a platform with a history of usage and a frozen clock. */
export async function startSeededPlatform() {
  const platform = await startPlatform({ clock: settableClock(NOW) });
  const connection = platform.announcement;
  const control = createControlClient({ connection, fetch: globalThis.fetch });
  const endpoints = [
    endpoint('chat', { gpu: { pools: ['ADA_24'] } }),
    endpoint('small', { cpu: [{ id: 'cpu3c', vcpuCount: 2 }] }),
  ];
  await control.seed({ body: { endpoints, usage: history } as never }).catch(async (error: unknown) => {
    await platform.close();
    throw error;
  });
  const client = createClient({ connection, fetch: globalThis.fetch });
  return {
    client,
    /** Resolves with the state of a store that has read a selection, and with the time of the service. */
    read: async (selection: BillingSelection) => {
      const store = new BillingStore(
        { client, onDidChange: () => ({ dispose: () => undefined }) },
        steppedClock().clock,
        selection,
      );
      store.setFocused(true);
      store.setVisible(true);
      await eventually('the store has read', () => store.state.account.readAt !== undefined && !store.state.busy);
      const { state, now } = store;
      store.dispose();
      return { state, now };
    },
    [Symbol.asyncDispose]: () => platform.close(),
  };
}
