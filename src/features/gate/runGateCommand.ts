import path from 'node:path';
import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import type { AccountServices } from '../../account/accountServices.ts';
import { processOf } from '../../account/consent/trustDecision.ts';
import { requireTrust } from '../../account/consent/workspaceTrust.ts';
import { privateEngineFlags } from '../../account/localPlatform/localPlatformSettings.ts';
import { hiddenValues, variableOf } from '../../account/secrets/hiddenValues.ts';
import { valueSource } from '../../account/secrets/valueSource.ts';
import { keyRemover } from '../../account/withoutKeys.ts';
import { referencesOf } from '../../account/secrets/envReferences.ts';
import type { Reports } from '../../kit/documents/reports.ts';
import { showMarkdown } from '../../kit/showDocuments.ts';
import { showMessage } from '../../kit/messages.ts';
import { withProgress } from '../../kit/progress.ts';
import { askForText } from '../../kit/quickInput.ts';
import { UserError } from '../../kit/userError.ts';
import { shown } from '../../text/shownText.ts';
import { fileName, isManifest } from '../manifest/index.ts';
import { readGated } from './actions/gatedManifest.ts';
import { runGate, type GateProgress, type GateResult } from './actions/runGate.ts';
import { gateDocument, verdictWords } from './model/gateWords.ts';

/** Path of the platform's program in the extension. */
const PLATFORM_SCRIPT = 'dist/platform.js';

/**
 * Runs the gate of a manifest, and opens its report.
 *
 * @param args the URI of the file and the index of the endpoint, or nothing for the file in the active editor
 * @returns whether it passed. Undefined if the user canceled
 */
export async function runGateCommand(
  services: AccountServices,
  reports: Reports,
  args: readonly unknown[],
): Promise<boolean | undefined> {
  const document = await savedManifest(args[0]);
  const { uri } = document;
  const part = typeof args[1] === 'number' ? args[1] : undefined;
  const gated = await readGated(uri.fsPath, { part, target: 'local' });
  requireTrust({
    source: 'workspaceFile',
    process: processOf(gated.body),
    references: referencesOf(gated.body.env),
    deed: shown`running the gate of ${fileName(uri)}`,
  });
  const values = valueSource(services);
  const used = new Map<string, string>();
  const title = shown`Gate of “${gated.name}”`;
  const result = await withProgress(
    { title, location: vscode.ProgressLocation.Notification },
    async (canceled, report) => {
      // A dismissed question cancels the gate: the other jobs would ask again.
      const dismissed = new AbortController();
      const signal = AbortSignal.any([canceled, dismissed.signal]);
      try {
        return await runGate({
          ...{ manifest: uri.fsPath, part, values, signal },
          place: {
            kind: 'private',
            platformScript: services.context.asAbsolutePath(PLATFORM_SCRIPT),
            flags: privateEngineFlags(),
          },
          secretOf: async (name) => {
            const value = signal.aborted ? undefined : await secretOf(services, name, used);
            if (value === undefined) dismissed.abort();
            return value;
          },
          readText: async (address) =>
            (await vscode.workspace.openTextDocument(vscode.Uri.parse(address, true))).getText(),
          onProgress: (progress) => report(progressWords(progress)),
        });
      } catch (error) {
        if (signal.aborted) return undefined;
        throw error;
      }
    },
  );
  if (!result) return undefined;
  const hidden = (await hiddenValues(services)).map(({ value }) => value);
  const hide = keyRemover([...used.values(), ...hidden]);
  await showMarkdown(reports.add(l10n.t`Gate of ${gated.name}`, gateDocument(result.report, hide)));
  tell(result);
  return result.report.passed && result.problems.length === 0;
}

/** Tells only what the report does not have. */
function tell({ problems, report }: GateResult): void {
  const [problem] = problems;
  if (problem) void showMessage('warning', shown`${verdictWords(report)}. ${problem.shown}`);
}

/** Returns the manifest, saved. @throws UserError if there is none on this machine */
async function savedManifest(argument: unknown): Promise<vscode.TextDocument> {
  const active = vscode.window.activeTextEditor?.document;
  const document = argument instanceof vscode.Uri ? await vscode.workspace.openTextDocument(argument) : active;
  if (!document || !isManifest(document)) throw new UserError(l10n.t('no manifest is open'));
  if (document.uri.scheme !== 'file')
    throw new UserError(shown`${path.posix.basename(document.uri.path)} is not a file on this machine`);
  if (document.isDirty) await document.save();
  return document;
}

/** Returns a secret of a recording: a stored one, a variable, or what the user enters for this gate. */
async function secretOf(
  { secrets }: Pick<AccountServices, 'secrets'>,
  name: string,
  used: Map<string, string>,
): Promise<string | undefined> {
  const known = used.get(name) ?? (await secrets.get(name)) ?? variableOf(name);
  const value =
    known ??
    (await askForText({
      title: l10n.t('Run Gate'),
      prompt: shown`Value of the secret ${name} of recorded jobs. It is not stored.`,
      value: '',
      password: true,
      ignoreFocusOut: true,
      validate: () => undefined,
    }));
  if (value !== undefined) used.set(name, value);
  return value;
}

function progressWords(progress: GateProgress) {
  return progress.kind === 'starting'
    ? l10n.t('starting both versions of the worker')
    : shown`ran ${progress.done} of ${progress.total} jobs`;
}
