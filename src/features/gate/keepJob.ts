import path from 'node:path';
import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import { requireConnectionOf } from '../../account/connections/requireConnection.ts';
import { hiddenValues } from '../../account/secrets/hiddenValues.ts';
import { confirmed, showMessage } from '../../kit/messages.ts';
import { pick, pickMany } from '../../kit/quickInput.ts';
import { UserError } from '../../kit/userError.ts';
import { joined, shown, type ShownText } from '../../text/shownText.ts';
import { requestOfJob, type ChosenJob, type Jobs } from '../jobs/index.ts';
import { pathText } from '../jobs/model/expectations/mismatch.ts';
import { MANIFEST_GLOB, languageOf } from '../manifest/index.ts';
import { nameOf } from '../manifest/model/deployment/matchEndpoint.ts';
import { parseManifestFile } from '../manifest/model/text/parse.ts';
import { readLocalJob } from './actions/readLocalJob.ts';
import { prepareRecording, writeRecording, type PreparedRecording } from './actions/recordJob.ts';
import { pathKey, type Replacement } from './model/recordedValue.ts';

const MAX_SHOWN = 15;
/** Name of the API key of a connection in a recording. */
const API_KEY = 'CLOUD_COMPUTE_API_KEY';

/** Writes the recording of a job beside the manifest of its endpoint. Shows before which values references replace. */
export async function keepJob(services: Jobs['services'], chosen: ChosenJob): Promise<void> {
  const { connectionId, job } = chosen;
  const { client, profile } = requireConnectionOf(services.connections, connectionId);
  const isLocal = profile.kind === 'local';
  const place = { endpointId: job.endpointId, jobId: job.id };
  const request =
    (await services.requests.get(connectionId, job.id)) ??
    (isLocal ? (await readLocalJob(client, place))?.request : undefined) ??
    (await requestOfJob(services, chosen));
  const manifest = await chooseManifest(job.endpointName);
  if (!manifest) return;
  const secrets = new Map((await hiddenValues(services)).map(({ reference, value }) => [reference.name, value]));
  if (profile.apiKey !== '') secrets.set(API_KEY, profile.apiKey);
  const source = { ...place, request, submittedAt: job.submittedAt, secrets };
  const prepare = (kept: ReadonlySet<string>) =>
    prepareRecording({ ...source, manifest: manifest.fsPath, kept }, { client, isLocal });
  let prepared = await prepare(new Set());
  const kept = await chooseKept(prepared.replacements);
  if (!kept) return;
  if (kept.size > 0) prepared = await prepare(kept);
  if (!(await isWanted(prepared))) return;
  await writeRecording(prepared);
  const [open, run] = [l10n.t('Open Recording'), l10n.t('Run Gate')];
  const text = shown`The job is kept in ${vscode.workspace.asRelativePath(vscode.Uri.file(prepared.file))}.`;
  void showMessage('information', text, open, run).then((button) => {
    if (button === open) void vscode.window.showTextDocument(vscode.Uri.file(prepared.file));
    if (button === run) void vscode.commands.executeCommand('cloudCompute.gate.run', manifest);
  });
}

/** Returns the manifest of an endpoint: the only one with its name, or one that the user picks. */
async function chooseManifest(endpoint: string): Promise<vscode.Uri | undefined> {
  const found = await vscode.workspace.findFiles(MANIFEST_GLOB, '**/node_modules/**');
  const uris = found.filter(({ scheme }) => scheme === 'file');
  if (uris.length === 0)
    throw new UserError(
      l10n.t('this workspace has no manifest (*.endpoint.yaml), and recordings are stored beside one'),
      {
        label: l10n.t('New Endpoint File…'),
        command: 'cloudCompute.manifest.newFile',
      },
    );
  const named: vscode.Uri[] = [];
  for (const uri of uris) {
    const document = await vscode.workspace.openTextDocument(uri).then(undefined, () => undefined);
    if (!document) continue;
    const { parts } = parseManifestFile(document.getText(), languageOf(uri));
    if (parts.some((part) => nameOf(part) === endpoint)) named.push(uri);
  }
  const [only, ...others] = named;
  if (only && others.length === 0) return only;
  const items = (only ? named : uris).map((uri) => ({ label: shown`${vscode.workspace.asRelativePath(uri)}`, uri }));
  const placeholder = shown`Manifest of “${endpoint}”`;
  return (await pick(items, { title: l10n.t('Keep Job for Gate'), placeholder }))?.uri;
}

/** Asks which values are secrets, of those whose names only look like it. Undefined if the user canceled. */
async function chooseKept(replacements: readonly Replacement[]): Promise<ReadonlySet<string> | undefined> {
  const doubtful = replacements.filter(({ reason }) => reason === 'member');
  if (doubtful.length === 0) return new Set();
  const items = doubtful.map((one) => ({ label: shown`${valuePath(one)}`, one }));
  const options = {
    title: l10n.t('Keep Job for Gate'),
    placeholder: l10n.t('Values that are secrets. References replace them'),
  };
  const secrets = await pickMany(items, options, () => true);
  if (!secrets) return undefined;
  return new Set(items.filter((item) => !secrets.includes(item)).map(({ one }) => pathKey(one.path)));
}

/** Shows which values references replace, and asks whether to write the recording. */
function isWanted({ replacements, file }: PreparedRecording): Promise<boolean> {
  const lines: ShownText[] = replacements.map((one) =>
    one.reason === 'file'
      ? shown`${valuePath(one)}: the file ${one.name}`
      : shown`${valuePath(one)}: the secret ${one.name}`,
  );
  const more = lines.length - MAX_SHOWN;
  const detail = joined(
    [
      lines.length === 0 ? l10n.t('No value is replaced.') : l10n.t('References replace these values:'),
      ...lines.slice(0, MAX_SHOWN),
      ...(more > 0 ? [l10n.t`and ${more} more`] : []),
      '',
      l10n.t('The recording has the remaining input and the result of the job. Check them before you commit it.'),
    ],
    '\n',
  );
  return confirmed(shown`Keep the job in ${path.basename(file)}?`, detail, l10n.t('Keep Job'));
}

function valuePath({ path: at }: Replacement): string {
  return pathText(at).replace(/^\$\./, '');
}
