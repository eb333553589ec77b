import { showMessage } from '../../../kit/messages.ts';
import { editOf } from '../../../kit/problems.ts';
import { joined, shown } from '../../../text/shownText.ts';
import { UserError } from '../../../kit/userError.ts';
import { readEnvValues } from '../actions/resolveBody.ts';
import { pullManifest, UneditableTextError, type Pull } from '../actions/pullManifest.ts';
import { refusal } from '../language/refusal.ts';
import { fileName, folderOf } from '../manifestFiles.ts';
import { hiddenValues } from '../../../account/secrets/hiddenValues.ts';
import { comparedValues } from '../../../account/secrets/valueSource.ts';
import type { ChosenPart } from '../create/choosePart.ts';
import { chooseDeployed, type DeployedServices, readPlan } from './chooseDeployed.ts';
import * as vscode from 'vscode';
import type { TextChange } from '../../../text/span.ts';

/** Writes the settings of the deployed endpoint into its manifest. The document is not saved, so that the user can undo the edit. */
export async function pullIntoDocument(deployed: DeployedServices, chosen: ChosenPart): Promise<void> {
  const { document, file, part } = chosen;
  const { manifest } = part;
  if (!manifest) throw await refusal(document, part.problems, 'cloudCompute.manifest.pull');
  const target = await chooseDeployed(deployed, chosen);
  if (!target) return;
  const surroundings = { target: target.profile.kind, folder: folderOf(document.uri) };
  const { resolve } = await readEnvValues([manifest.env], comparedValues(deployed.services));
  const hidden = await hiddenValues(deployed.services);
  const { endpoint, comparison } = await readPlan(deployed, target, { manifest, resolve });
  const name = fileName(document.uri);
  const { changes, kept } = pulled(
    () => pullManifest({ file, part: part.index, comparison, hidden, ...surroundings }),
    name,
  );
  if (changes.length > 0) await writeChanges(document, file.text, changes);
  const message =
    changes.length > 0
      ? shown`The settings of “${endpoint.name}” are in ${name}. The file is not saved yet.`
      : shown`${name} is in sync with endpoint “${endpoint.name}”.`;
  const references = shown`References in env stay although the endpoint has other values: ${kept.join(', ')}.`;
  void showMessage('information', kept.length > 0 ? joined([message, references], ' ') : message);
}

function pulled(pull: () => Pull, name: string): Pull {
  try {
    return pull();
  } catch (error) {
    if (!(error instanceof UneditableTextError)) throw error;
    throw new UserError(shown`a setting in ${name} comes from an anchor, so a change would affect other settings`);
  }
}

/**
 * Writes changes of a text into its document, which is not saved, and shows the document.
 *
 * @throws UserError if the text has changed since it was read
 */
export async function writeChanges(
  document: vscode.TextDocument,
  text: string,
  changes: readonly TextChange[],
): Promise<void> {
  if (document.getText() !== text || !(await vscode.workspace.applyEdit(editOf(document, changes))))
    throw new UserError(shown`${fileName(document.uri)} changed in the meantime; try again`);
  await vscode.window.showTextDocument(document);
}
