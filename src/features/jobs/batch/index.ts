import * as vscode from 'vscode';
import type { AccountServices } from '../../../account/accountServices.ts';
import { Reports } from '../../../kit/documents/reports.ts';
import { Lazy } from '../../../kit/lazy.ts';
import { formatted } from '../../../text/markdown.ts';
import type { BatchServices } from './batchRuns.ts';

/** Registers the lists of broken rows, and offers interrupted batches. The batches are created on first use. */
export function registerBatches(base: AccountServices): vscode.Disposable & { readonly services: Lazy<BatchServices> } {
  const { log, connections, clock } = base;
  const brokenRows = new Reports({
    scheme: 'cloud-compute-batch',
    gone: formatted`This list is no longer available. Run the batch again.`,
    whyReadonly: formatted`This document lists rows of a file and is read-only.`,
    clock,
  });
  const services = new Lazy(async (): Promise<BatchServices> => {
    const { createBatches } = await import('./createBatches.ts');
    return { ...base, batches: createBatches(base, brokenRows) };
  });
  const offeredFor = new Set<string>();
  const offer = async (): Promise<void> => {
    const { profile, client } = connections;
    if (!profile || !client || offeredFor.has(profile.id)) return;
    offeredFor.add(profile.id);
    const { offerBatches } = await import('./createBatches.ts');
    await offerBatches(await services.get(), profile.id);
  };
  const registered = vscode.Disposable.from(
    brokenRows.register(),
    connections.onDidChange(() => {
      offer().catch((error: unknown) => log.warn('Could not read the batches', error));
    }),
    new vscode.Disposable(() => services.value?.batches.runs.dispose()),
  );
  return Object.assign(registered, { services });
}
