import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import type { Clock } from '../../../client/clock.ts';
import type { Manifest } from '../../../contract/manifest.ts';
import { askForText, pick } from '../../../kit/quickInput.ts';
import { UserError } from '../../../kit/userError.ts';
import { shown } from '../../../text/shownText.ts';
import type { ChosenPart } from '../create/choosePart.ts';
import { overrideGate, gatedOf, gateStateOf } from './actions/gateVerdicts.ts';

/**
 * Returns whether the gate of a manifest lets it be deployed. Without a passed gate, asks whether to run it right then or to deploy with a
 * reason, which is stored.
 */
export async function mayPassGate(
  { clock }: { readonly clock: Pick<Clock, 'now'> },
  { document, part }: Pick<ChosenPart, 'document' | 'part'>,
  manifest: Manifest,
  target: 'local' | 'hosted',
): Promise<boolean> {
  const deployed = { file: document.uri.toString(), value: part.parsed.value, manifest, target };
  const state = await gateStateOf(deployed);
  if (!state) return true;
  const gated = gatedOf(deployed);
  if (!gated) throw new UserError(l10n.t('x-gate requires a gate, and the manifest is not a file on this machine'));
  const question =
    state === 'failed'
      ? shown`The gate of “${manifest.name}” failed for this content.`
      : shown`The gate of “${manifest.name}” has not run for exactly this content.`;
  const run = {
    label: shown`$(git-compare) Run Gate`,
    detail: l10n.t('Runs the recorded jobs on both versions of the worker, and deploys if the gate passes'),
  };
  const skip = {
    label: shown`$(debug-step-over) Deploy Without Gate…`,
    detail: l10n.t('Needs a reason, which is stored'),
  };
  const chosen = await pick([run, skip], { title: l10n.t('x-gate requires a passed gate'), placeholder: question });
  if (chosen === skip) return isReasonGiven();
  if (chosen !== run) return false;
  const passed = await vscode.commands.executeCommand('cloudCompute.gate.run', document.uri, part.index);
  // The file can have changed while the gate ran.
  return passed === true && (await gateStateOf(deployed)) === undefined;

  async function isReasonGiven(): Promise<boolean> {
    const reason = await askForText({
      title: l10n.t('Deploy Without Gate'),
      prompt: l10n.t('Reason, which is stored beside the recordings'),
      value: '',
      validate: (text) => (text.trim() === '' ? l10n.t('Enter a reason') : undefined),
    });
    if (reason === undefined || !gated) return false;
    await overrideGate(gated, reason.trim(), clock.now());
    return true;
  }
}
