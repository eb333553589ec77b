import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import { FAULT_TARGETS, type Fault } from '../../../contract/control/control.ts';
import { confirmed, showMessage, showStatusBarMessage } from '../../../kit/messages.ts';
import { withLateProgress } from '../../../kit/progress.ts';
import { askForText, pick, separator, type ShownItem } from '../../../kit/quickInput.ts';
import { dataSize } from '../../../text/quantities.ts';
import { joined, shown } from '../../../text/shownText.ts';
import { UserError } from '../../../kit/userError.ts';
import type { AccountServices } from '../../../account/accountServices.ts';
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
} from './actions/controlPlatform.ts';
import { controlOf } from '../../../account/localPlatform/platformControl.ts';

const CONFIRMATION_MS = 5_000;
const ADVANCES = [
  { time: l10n.t('1 Minute'), advanceMs: 60_000 },
  { time: l10n.t('1 Hour'), advanceMs: 3_600_000 },
  { time: l10n.t('1 Day'), advanceMs: 86_400_000 },
  { time: l10n.t('7 Days'), advanceMs: 604_800_000 },
] as const;

/* Commands that prepare the local platform for tests. They are loaded at their first use. */

export async function seedFromFile(
  services: Pick<AccountServices, 'clock' | 'localPlatform' | 'endpoints'>,
  given: unknown,
): Promise<void> {
  const { control } = await controlOf(services);
  const uri = given instanceof vscode.Uri ? given : await chooseSeed();
  if (!uri) return;
  const { size } = await vscode.workspace.fs.stat(uri);
  if (size > MAX_SEED_BYTES) throw new UserError(shown`the file is larger than ${dataSize(MAX_SEED_BYTES)}`);
  const seed = seedIn(new TextDecoder().decode(await vscode.workspace.fs.readFile(uri)));
  const processes = processesIn(seed);
  if (processes.length > 0 && !vscode.workspace.isTrusted)
    throw new UserError(l10n.t('the file creates endpoints that run commands, which requires a trusted workspace'), {
      label: l10n.t('Manage Trust'),
      command: 'workbench.trust.manage',
    });
  const parts = seedCounts(seed);
  if (parts.length === 0) throw new UserError(l10n.t('the file contains no test data'));
  const warning = processes.map((name) => shown`“${name}” runs a command on this machine.`);
  const detail = joined([joined(parts, ', '), ...warning], '\n');
  const name = uri.path.slice(uri.path.lastIndexOf('/') + 1);
  if (!(await confirmed(shown`Add the test data of “${name}”?`, detail, l10n.t('Add')))) return;
  await withLateProgress(services.clock, l10n.t('Adding test data…'), (signal) =>
    seedPlatform(control, seed, { signal }),
  );
  await services.endpoints.refresh();
  showStatusBarMessage(shown`$(check) Test data added`, CONFIRMATION_MS);
}

function seedIn(text: string) {
  try {
    return readSeed(text);
  } catch (error) {
    throw error instanceof InvalidSeedError ? new UserError(shown`the file is not a seed: ${error.message}`) : error;
  }
}

async function chooseSeed(): Promise<vscode.Uri | undefined> {
  const chosen = await vscode.window.showOpenDialog({
    title: l10n.t('Test Data for the Local Platform'),
    filters: { Seeds: ['yaml', 'yml', 'json'] },
  });
  return chosen?.[0];
}

interface ClockItem extends ShownItem {
  readonly change: { readonly frozen?: boolean; readonly advanceMs?: number };
}

export async function setClock(services: Pick<AccountServices, 'clock' | 'localPlatform'>): Promise<void> {
  const { control } = await controlOf(services);
  const { now, frozen } = await control.getClock({});
  const items: readonly ClockItem[] = [
    ...ADVANCES.map(({ time, advanceMs }) => ({
      label: shown`$(debug-step-over) Advance by ${time}`,
      change: { advanceMs },
    })),
    frozen
      ? { label: shown`$(debug-continue) Unfreeze`, change: { frozen: false } }
      : { label: shown`$(debug-pause) Freeze`, change: { frozen: true } },
  ];
  const chosen = await pick(items, {
    title: l10n.t('Set Clock of Local Platform'),
    placeholder: shown`Time: ${now}${frozen ? l10n.t(' (frozen)') : ''}. The clock never goes back`,
  });
  if (!chosen) return;
  const after = await withLateProgress(services.clock, l10n.t('Setting the clock…'), (signal) =>
    control.setClock({ body: chosen.change }, { signal }),
  );
  const state = after.frozen ? l10n.t(', frozen') : '';
  showStatusBarMessage(shown`$(check) Clock of the local platform: ${after.now}${state}`, CONFIRMATION_MS);
}

type Effect = Pick<Fault, 'status' | 'drop' | 'delayMs'>;

const EFFECTS: readonly (ShownItem & { readonly effect: Effect })[] = [
  { label: l10n.t('Fail with Status 500'), description: l10n.t('internal error'), effect: { status: 500 } },
  { label: l10n.t('Fail with Status 503'), description: l10n.t('unavailable'), effect: { status: 503 } },
  { label: l10n.t('Fail with Status 429'), description: l10n.t('too many requests'), effect: { status: 429 } },
  { label: l10n.t('Fail with Status 401'), description: l10n.t('invalid key'), effect: { status: 401 } },
  { label: l10n.t('Close the Connection'), effect: { drop: true } },
  { label: l10n.t('Wait 5 s'), effect: { delayMs: 5_000 } },
];

export async function setFaults(services: Pick<AccountServices, 'clock' | 'localPlatform'>): Promise<void> {
  const { control } = await controlOf(services);
  const { faults } = await control.listFaults({});
  const title = l10n.t('Set Faults of Local Platform');
  const active = faults.map((fault) => ({
    label: shown`$(trash) Remove the Fault of ${fault.operation === '*' ? l10n.t('All Operations') : fault.operation}`,
    detail:
      fault.hits === 1
        ? shown`${faultWords(fault)}. 1 request affected so far`
        : shown`${faultWords(fault)}. ${fault.hits} requests affected so far`,
    remove: fault.id,
  }));
  const add = { label: shown`$(add) Add Fault…`, remove: undefined };
  const all = { label: shown`$(clear-all) Remove All Faults`, remove: ALL_FAULTS };
  const act =
    active.length === 0 ? add : await pick([add, all, ...active], { title, placeholder: l10n.t('Select an action') });
  if (!act) return;
  const change = act.remove === undefined ? await askForFault(title) : { remove: act.remove };
  if (!change) return;
  const left = await changeFaults(control, change);
  const text = left.length === 0 ? shown`The local platform has no faults` : shown`Active faults: ${left.length}`;
  void showMessage('information', text);
}

async function askForFault(title: string): Promise<{ readonly add: Fault } | undefined> {
  const [everything, operations] = [
    FAULT_TARGETS.filter((name) => name === '*'),
    FAULT_TARGETS.filter((name) => name !== '*'),
  ];
  const items = [
    ...everything.map((operation) => ({ label: l10n.t('All Operations'), operation })),
    { ...separator(l10n.t('Operations')), operation: undefined },
    ...operations.map((operation) => ({ label: operation, operation })),
  ];
  const target = await pick(items, { title, placeholder: l10n.t('Operation whose requests are affected') });
  if (!target?.operation) return undefined;
  const chosen = await pick(EFFECTS, { title, placeholder: l10n.t('Effect of the fault') });
  if (!chosen) return undefined;
  const times = await askForText({
    title,
    prompt: l10n.t('Number of requests to affect. Leave it empty to affect all until the fault is removed'),
    value: '1',
    validate: (text) =>
      /^([1-9]\d{0,5})?$/.test(text.trim()) ? undefined : l10n.t('Enter a whole number, or leave it empty'),
  });
  if (times === undefined) return undefined;
  const limit = times.trim() === '' ? {} : { count: Number(times) };
  return { add: { operation: target.operation, when: 'before', rate: 1, ...chosen.effect, ...limit } };
}
