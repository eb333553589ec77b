import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import { parseWorkerError } from '../../contract/workerError.ts';
import type { Reports } from '../../kit/documents/reports.ts';
import { showMarkdown } from '../../kit/showDocuments.ts';
import { showMessage } from '../../kit/messages.ts';
import { withLateProgress, withProgress } from '../../kit/progress.ts';
import { pick, separator, type ShownItem } from '../../kit/quickInput.ts';
import { askText } from '../../kit/steps.ts';
import { UserError } from '../../kit/userError.ts';
import { shown } from '../../text/shownText.ts';
import { requireTrust } from '../../account/consent/workspaceTrust.ts';
import { privateEngineFlags } from '../../account/localPlatform/localPlatformSettings.ts';
import { valueSource } from '../../account/secrets/valueSource.ts';
import type { AccountServices } from '../../account/accountServices.ts';
import type { JobRecords } from '../jobs/index.ts';
import { debugElsewhere } from '../local/index.ts';
import { prepareReplay, type PreparedReplay, type ReplaySources } from './actions/prepareReplay.ts';
import { ReplayError } from './actions/replayError.ts';
import { replayJob, type ReplayResult, type ReplayStep } from './actions/replayJob.ts';
import { secretsOfSubject } from './actions/replaySubject.ts';
import { findSubject, type FoundSubject } from './findSubject.ts';
import { planText } from './model/planText.ts';
import { directoryOfImage, isBlocked, type PlanLine } from './model/replayPlan.ts';
import { replayDocument, verdictText } from './model/replayWords.ts';
import { saveAsTest } from './saveAsTest.ts';
import type { Secrets } from '../../account/connections/connectionVault.ts';
import { hashedName } from '../../text/fileNames.ts';
import type { ReplayValues } from './actions/readEnvironment.ts';

export interface ReplayContext {
  readonly services: AccountServices;
  readonly jobs: Pick<JobRecords, 'history' | 'requests'>;
  readonly reports: Reports;
}

/** Shows the plan of a replay, runs it, and offers what follows. @param argument as of `findSubject` */
export async function replayCommand(context: ReplayContext, argument: unknown): Promise<void> {
  const { services, jobs } = context;
  requireTrust({ source: 'workspaceFile', process: undefined, deed: l10n.t('replaying a job') });
  const found = await findSubject(services, jobs, argument);
  const values = new ReplayValueStore(services.context.secrets, found.owner);
  let volume: ReplaySources['volume'];
  for (;;) {
    const prepared = await prepare(context, found, { values, volume });
    const choice = await choose(found, prepared);
    switch (choice) {
      case undefined:
        return;
      case 'forget':
        await values.forget([...found.subject.recorded.worker.environment, ...secretsOfSubject(found.subject)]);
        break;
      case 'emptyVolume':
        volume = 'empty';
        break;
      case 'copiedVolume':
        volume = undefined;
        break;
      case 'volumeFolder':
        volume = (await chooseVolumeFolder()) ?? volume;
        break;
      case 'ask':
      case 'run':
      case 'debug': {
        if (choice === 'ask' || prepared.values.missingSecrets.length > 0) {
          if (!(await askForValues(values, prepared))) return;
          if (choice === 'ask') break;
        }
        await run(context, found, await prepare(context, found, { values, volume }), choice === 'debug');
        return;
      }
    }
  }
}

function prepare(
  { services }: ReplayContext,
  found: FoundSubject,
  given: { readonly values: ReplayValueStore; readonly volume: ReplaySources['volume'] },
): Promise<PreparedReplay> {
  return withLateProgress(services.clock, l10n.t('Preparing the replay…'), async (signal) => {
    const secrets = (await services.secrets.values()).values();
    return prepareReplay({ ...found, ...given, secrets, references: valueSource(services) }, signal);
  });
}

type Choice = 'run' | 'debug' | 'ask' | 'forget' | 'emptyVolume' | 'copiedVolume' | 'volumeFolder';
type Item = ShownItem & { readonly choice?: Choice };

const ICONS = { equal: 'check', differs: 'warning', missing: 'question' } as const;

async function choose({ subject }: FoundSubject, prepared: PreparedReplay): Promise<Choice | undefined> {
  const { plan, values } = prepared;
  const { missingValues, missingSecrets, hidden } = values;
  const blocked = isBlocked(plan) && missingSecrets.length === 0;
  const needsValues = missingValues.length + missingSecrets.length > 0;
  const acts: Item[] = [
    ...(needsValues && !blocked
      ? [
          {
            label: shown`$(key) Enter Values…`,
            description: [...missingValues, ...missingSecrets].join(', '),
            choice: 'ask',
          } as const,
        ]
      : []),
    ...(blocked || missingSecrets.length > 0
      ? []
      : [
          { label: shown`$(play) Replay`, choice: 'run' } as const,
          {
            label: shown`$(debug-alt) Replay and Stop at the Error`,
            description: l10n.t('under the debugger'),
            choice: 'debug',
          } as const,
        ]),
  ];
  const lines = plan.lines.map((line): Item => lineItem(line));
  const others: Item[] = [
    ...volumeItems(plan.volume),
    ...(hidden.length > 0 ? [{ label: shown`$(discard) Forget the Values`, choice: 'forget' } as const] : []),
  ];
  const title = shown`Replay a Job of “${subject.recorded.endpoint}” Locally`;
  for (;;) {
    const item = await pick<Item>(
      [...acts, separator(l10n.t('Plan')), ...lines, ...(others.length > 0 ? [separator(), ...others] : [])],
      { title, placeholder: l10n.t('Equal, different, and missing parts of the replay'), ignoreFocusOut: true },
    );
    // The lines of the plan only tell something.
    if (!item || item.choice !== undefined) return item?.choice;
  }
}

function volumeItems(volume: PreparedReplay['plan']['volume']): Item[] {
  if (!volume) return [];
  if (volume.isElsewhere === true)
    return [{ label: shown`$(folder-opened) Choose a Folder with the Files of the Volume…`, choice: 'volumeFolder' }];
  return volume.directory === undefined
    ? [{ label: shown`$(database) Copy the Volume`, choice: 'copiedVolume' }]
    : [{ label: shown`$(database) Replay with an Empty Volume`, choice: 'emptyVolume' }];
}

/** Asks for a directory that is copied as the volume. */
async function chooseVolumeFolder(): Promise<ReplaySources['volume']> {
  const options = { title: l10n.t('Files of the Volume'), openLabel: l10n.t('Copy Folder') };
  const chosen = await vscode.window.showOpenDialog({ ...options, canSelectFiles: false, canSelectFolders: true });
  return chosen?.[0] && { directory: chosen[0].fsPath };
}

function lineItem(line: PlanLine): Item {
  return { label: shown`$(${ICONS[line.state]}) ${planText(withShortPath(line))}`, alwaysShow: true };
}

/** Returns the path of a file in the first folder, to which links of a preview lead. */
function inWorkspace(file: string): string | undefined {
  const [root] = vscode.workspace.workspaceFolders ?? [];
  const folder = vscode.workspace.getWorkspaceFolder(vscode.Uri.file(file));
  return root && folder?.index === root.index ? vscode.workspace.asRelativePath(file, false) : undefined;
}

/** A list cuts long lines. */
function withShortPath(line: PlanLine): PlanLine {
  return 'directory' in line ? { ...line, directory: vscode.workspace.asRelativePath(line.directory) } : line;
}

/** Asks for the missing values, and stores them in secret storage. Resolves with false if the user dismisses a box. */
async function askForValues(store: ReplayValueStore, { values }: PreparedReplay): Promise<boolean> {
  const names = [...values.missingSecrets, ...values.missingValues];
  for (const [index, name] of names.entries()) {
    const value = await askText({
      place: { title: l10n.t('Values of the Replay'), step: index + 1, totalSteps: names.length },
      prompt: shown`Value of “${name}”. It is stored in the editor’s secret storage, for replays of this endpoint only.`,
      password: true,
      problem: (text) => (text.includes('\0') ? l10n.t('A value must not contain the NUL character.') : undefined),
    });
    if (typeof value !== 'string') return false;
    await store.set(name, value);
  }
  return true;
}

async function run(
  context: ReplayContext,
  found: FoundSubject,
  { plan, values }: PreparedReplay,
  debugs: boolean,
): Promise<void> {
  const { services } = context;
  const { subject, settings } = found;
  const { clock } = services;
  const { recorded } = subject;
  const title = shown`Replaying a job of “${recorded.endpoint}”`;
  const error = parseWorkerError(recorded.result.error);
  const result = await withProgress({ title, location: vscode.ProgressLocation.Notification }, (signal, report) =>
    replayJob({
      ...{ subject, settings, plan, values, signal },
      launch: {
        script: services.context.asAbsolutePath('dist/platform.js'),
        flags: privateEngineFlags(),
        clock,
      },
      onStep: (step) => report(stepWords(step)),
      ...(debugs && {
        debug: ({ endpointId, ...platform }, stopping) => {
          const endpoint = { id: endpointId, name: recorded.endpoint, image: plan.image };
          const title = l10n.t`Replay of ${recorded.endpoint}`;
          return debugElsewhere({ platform, endpoint, title, stop: { error }, log: services.log }, stopping);
        },
      }),
    }),
  ).then(undefined, (failure: unknown) => {
    throw failure instanceof ReplayError ? new UserError(failure.message) : failure;
  });
  // Not awaited, because the command is complete before the user answers the message.
  void offerNext(context, found, plan, result).catch((failure: unknown) =>
    services.log.warn('Could not continue after the replay', failure),
  );
}

function stepWords(step: ReplayStep): string {
  switch (step) {
    case 'start':
      return l10n.t('Starting a platform…');
    case 'copy':
      return l10n.t('Copying the volume…');
    case 'create':
      return l10n.t('Creating the endpoint…');
    case 'debug':
      return l10n.t('Attaching the debugger…');
    case 'run':
      return l10n.t('Running the job…');
  }
}

async function offerNext(
  { reports }: ReplayContext,
  found: FoundSubject,
  plan: PreparedReplay['plan'],
  result: ReplayResult,
): Promise<void> {
  const { recorded } = found.subject;
  const verdict = verdictText(result, directoryOfImage(plan.image));
  const isSame = result.kind === 'ended' && result.comparison.verdict !== 'different';
  const save = l10n.t('Save as Test…');
  // A test cannot contain the secrets of an input.
  const buttons = secretsOfSubject(found.subject).length > 0 ? [] : [save];
  const report = replayDocument({ endpoint: recorded.endpoint, verdict, lines: plan.lines, result, inWorkspace });
  await showMarkdown(reports.add(l10n.t`Replay of ${recorded.endpoint}`, report));
  const chosen = await showMessage(isSame ? 'information' : 'warning', shown`${verdict}`, ...buttons);
  if (chosen === save) await saveAsTest(found);
}

/** Prefix of the keys in secret storage. */
const PREFIX = 'cloudCompute.replay.value/';

/** Values that the user gave for the replays of one manifest or endpoint. They are in the editor's secret storage only. */
class ReplayValueStore implements ReplayValues {
  readonly #secrets: Secrets;
  readonly #prefix: string;

  /** @param owner path of the manifest, or ID of the endpoint with its connection */
  constructor(secrets: Secrets, owner: string) {
    this.#secrets = secrets;
    this.#prefix = `${PREFIX}${hashedName(owner)}/`;
  }

  get(name: string): PromiseLike<string | undefined> {
    return this.#secrets.get(this.#prefix + name);
  }

  async set(name: string, value: string): Promise<void> {
    await this.#secrets.store(this.#prefix + name, value);
  }

  async forget(names: readonly string[]): Promise<void> {
    for (const name of names) await this.#secrets.delete(this.#prefix + name);
  }
}
