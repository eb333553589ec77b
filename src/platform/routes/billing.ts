import { operations } from '../../contract/operations.ts';
import { billingReport } from '../domain/billingReport.ts';
import { resolveWindow } from '../domain/buckets.ts';
import type { Services } from '../services.ts';
import type { App } from './app.ts';
import { route } from './route.ts';

/** Billing history (interface document, Endpoints 1). */
export function billingRoutes(app: App, { store, clock }: Services): void {
  route(app, operations.listBilling, ({ query }) => {
    const now = clock.now();
    const window = resolveWindow(query, now);
    return billingReport(store.usageBetween(window.start, window.end), window, now);
  });
}
