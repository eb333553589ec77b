import * as vscode from 'vscode';
import type { Endpoint } from '../../../contract/endpoint.ts';
import type { LiveValues } from '../../../account/liveValues/liveValues.ts';
import { workerPrice } from '../../../account/prices/workerPrice.ts';
import type { AccountServices } from '../../../account/accountServices.ts';
import { mayRunOn } from '../../../account/consent/confirmHosted.ts';
import { JobTests } from './jobTests.ts';

/** Lists the job files with expectations in the Test Explorer, and runs them on the current connection. */
export function registerJobTests({ context, connections, liveValues, clock, log }: AccountServices): vscode.Disposable {
  const tests = new JobTests({
    id: 'cloudCompute',
    connections,
    clock,
    log,
    onDiscover: () => {
      // The question before a run on a hosted platform contains the price.
      if (connections.profile?.kind === 'hosted') liveValues.request();
    },
    mayRun: (profile, requests, endpoints) =>
      mayRunOn(context.workspaceState, profile, { ...requests, price: highestPrice(endpoints, liveValues.current) }),
  });
  return vscode.Disposable.from(tests);
}

/** Returns the highest price of a worker. Undefined if the price of one endpoint is not known. */
function highestPrice(endpoints: readonly Endpoint[], values: LiveValues): number | undefined {
  const prices = endpoints.map(({ gpu, cpu }) => {
    const { pools = [], count, excludedTypes } = gpu ?? {};
    const selection = { pools, ...(count && { count }), ...(excludedTypes && { excludedTypes }) };
    return workerPrice({ gpu: gpu ? selection : undefined, cpu: cpu ?? undefined }, values);
  });
  const known = prices.filter((price) => price !== undefined);
  return known.length === prices.length && known.length > 0 ? Math.max(...known) : undefined;
}
