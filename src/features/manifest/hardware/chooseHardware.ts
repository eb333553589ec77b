import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import { ApiError } from '../../../client/apiError.ts';
import type { Client } from '../../../client/client.ts';
import type { Endpoint } from '../../../contract/endpoint.ts';
import type { NetworkVolume } from '../../../contract/networkVolume.ts';
import type { CommandId } from '../../../kit/commandIds.ts';
import { explain } from '../../../kit/explain.ts';
import { showMessage, showStatusBarMessage } from '../../../kit/messages.ts';
import { withLateProgress } from '../../../kit/progress.ts';
import { askForText, pick } from '../../../kit/quickInput.ts';
import { UserError } from '../../../kit/userError.ts';
import { oneLine, shown, type ShownText } from '../../../text/shownText.ts';
import { requireConnection } from '../../../account/connections/requireConnection.ts';
import { chosenEndpoint } from '../../../account/endpoints/chosenEndpoints.ts';
import type { EndpointSnapshot } from '../../../account/endpoints/endpointSnapshot.ts';
import { NO_NEEDS, volumeIds, type HardwareNeeds } from '../../../account/hardware/hardwareNeeds.ts';
import { offerName } from '../../../account/hardware/hardwareWords.ts';
import type { HardwareOffer } from '../../../account/hardware/hardwareOffers.ts';
import { monthlyBudget } from '../../../account/prices/monthlyBudget.ts';
import { readHardware, readHardwareAt, type HardwareChoice } from '../actions/readHardware.ts';
import { readManifests } from '../actions/readManifests.ts';
import type { PastJob } from '../actions/readRunTimes.ts';
import { choosePart, type ChosenPart } from '../create/choosePart.ts';
import type { DeployedServices } from '../deployed/chooseDeployed.ts';
import { offerUpdate, openManifestOf } from '../deployed/manifestOfEndpoint.ts';
import { writeChanges } from '../deployed/pullIntoDocument.ts';
import { refusal } from '../language/refusal.ts';
import { fileName, languageOf, workspaceTree } from '../manifestFiles.ts';
import { nameOf } from '../model/deployment/matchEndpoint.ts';
import { hardwareChanges } from '../model/hardware/hardwareChanges.ts';
import { hardwareSettingsOf, otherErrors } from '../model/hardware/hardwareSettings.ts';
import { readManifestFile } from '../model/manifestFile.ts';
import { problemsOfChosen } from '../model/problem.ts';
import { pickHardware, type HardwareView } from './hardwarePick.ts';

const COMMAND: CommandId = 'cloudCompute.manifest.chooseHardware';
/** Duration of a message in the status bar, in ms. */
const SHORTLY_MS = 4_000;

/** Reads the jobs of an endpoint that the user ran from this editor. */
export type OwnJobs = (connectionId: string, endpointId: string) => Promise<readonly PastJob[]>;

export interface HardwareServices extends DeployedServices {
  readonly ownJobs: OwnJobs;
}

/** Chooses hardware for the row of a network volume or of an endpoint, or else for a manifest. @param args arguments of the command */
export async function chooseHardware(services: HardwareServices, args: readonly unknown[]): Promise<void> {
  const [target, ...rest] = Array.isArray(args[0]) ? (args[0] as readonly unknown[]) : args;
  const { kind, id } = (target ?? {}) as { readonly kind?: unknown; readonly id?: unknown };
  if (kind === 'resource' && typeof id === 'string') return chooseForVolume(services, id);
  if (kind === 'endpoint') {
    const purpose = l10n.t('Endpoint to choose hardware for');
    const snapshot = await chosenEndpoint(services.services, [target, ...rest], purpose);
    return snapshot && chooseForEndpoint(services, snapshot);
  }
  const chosen = await choosePart(services, [target, ...rest], l10n.t('Manifest to choose hardware for'));
  return chosen && chooseForManifest(services, chosen);
}

/** Writes hardware that the user chooses into a manifest. The document is not saved, so that the user can undo the edit. */
export async function chooseForManifest(services: HardwareServices, chosen: ChosenPart): Promise<void> {
  const { services: account, deployment } = services;
  requireConnection(account.connections);
  const { document, file, part } = chosen;
  const match = deployment.matchOf(document.uri, file, part);
  const endpoint = match?.kind === 'one' ? account.endpoints.find(match.endpointId)?.endpoint : undefined;
  const written = await chooseAndWrite(services, chosen, endpoint);
  if (!written) return;
  const name = fileName(document.uri);
  if (endpoint)
    offerUpdate(
      { document, part: part.index },
      shown`${name} has the chosen hardware. Update the endpoint to apply it.`,
    );
  else showStatusBarMessage(shown`$(check) ${name} has the chosen hardware`, SHORTLY_MS);
}

/** Writes hardware that the user chooses into the manifest of an endpoint, or else into the endpoint that is opened for editing. */
async function chooseForEndpoint(services: HardwareServices, { endpoint }: EndpointSnapshot): Promise<void> {
  const opened = await openManifestOf(services, endpoint.id);
  const { document, isManifest } = opened;
  const file = await services.models.read(document);
  const part = file.parts[opened.part];
  if (!part) throw new UserError(shown`${fileName(document.uri)} is not a manifest`);
  if (!(await chooseAndWrite(services, { document, part }, endpoint))) return;
  if (isManifest)
    offerUpdate(opened, shown`${fileName(document.uri)} has the chosen hardware. Update the endpoint to apply it.`);
  else void showMessage('information', shown`Save the document to give “${endpoint.name}” the chosen hardware.`);
}

/** @returns whether the document was changed */
async function chooseAndWrite(
  services: HardwareServices,
  { document, part }: Pick<ChosenPart, 'document' | 'part'>,
  endpoint: Endpoint | undefined,
): Promise<boolean> {
  const { services: account, ownJobs } = services;
  const { client, profile } = requireConnection(account.connections);
  const settings = hardwareSettingsOf(part);
  const errors = settings ? otherErrors(problemsOfChosen(part)) : part.problems;
  if (!settings || errors.length > 0) throw await refusal(document, errors, COMMAND);
  const jobs = endpoint ? await ownJobs(profile.id, endpoint.id) : [];
  const others = profile.kind === 'hosted' ? { monthlyBudget: monthlyBudget() } : {};
  const choice = await readChoice(services, [document.uri, part.index], (signal) =>
    readHardware(client, { settings, endpoint, jobs, others }, signal),
  );
  const name = nameOf(part) ?? fileName(document.uri);
  const offers = await ask(shown`Choose Hardware for “${name}”`, choice, endpoint === undefined);
  if (!offers) return false;
  // The file can have changed while the list was open.
  const current = await services.models.read(document);
  const changes = hardwareChanges(current, part.index, offers);
  if (!changes)
    throw new UserError(
      shown`${fileName(document.uri)} cannot be edited automatically; write ${offers.map(offerName).join(', ')} yourself`,
    );
  if (changes.length === 0) {
    showStatusBarMessage(shown`$(check) ${fileName(document.uri)} already has this hardware`, SHORTLY_MS);
    return false;
  }
  await writeChanges(document, current.text, changes);
  return true;
}

/** Reads the hardware. The button of a failure reads it again. @param args arguments of the command */
async function readChoice(
  { services: { clock, connections } }: HardwareServices,
  args: unknown,
  read: (signal: AbortSignal) => Promise<HardwareChoice>,
): Promise<HardwareChoice> {
  const name = connections.profile?.name ?? '';
  try {
    return await withLateProgress(clock, shown`Reading the hardware of ${name}…`, read);
  } catch (error) {
    const isOutage = error instanceof ApiError && ['network', 'timeout', 'server', 'rateLimited'].includes(error.kind);
    if (!isOutage) throw error;
    throw new UserError(explain(error, shown`the hardware of ${name} cannot be read`), {
      label: l10n.t('Try Again'),
      command: COMMAND,
      argument: args,
    });
  }
}

/** Asks for hardware. The user can also set the memory that a worker needs. */
async function ask(
  title: ShownText,
  first: HardwareChoice,
  canSwitch: boolean,
): Promise<readonly HardwareOffer[] | undefined> {
  let choice = first;
  let view: HardwareView | undefined;
  for (;;) {
    const { needs, offers } = choice;
    const answer = await pickHardware({ title, needs, offers, view, canSwitch });
    if (!answer || 'offers' in answer) return answer?.offers;
    ({ view } = answer);
    const memoryGb = await askForMemory(needs);
    if (memoryGb !== undefined) choice = first.with({ memoryGb: memoryGb === 0 ? undefined : memoryGb });
  }
}

/** Resolves with the memory in GB, 0 for any, or undefined if the user dismissed the box. */
async function askForMemory({ memoryGb }: HardwareNeeds): Promise<number | undefined> {
  const answer = await askForText({
    title: l10n.t('Memory of a Worker'),
    prompt: l10n.t('Memory that a worker needs, in GB. Leave it empty for any.'),
    value: memoryGb === undefined ? '' : String(memoryGb),
    validate: (text) => (text.trim() === '' || isMemory(text) ? undefined : l10n.t('Enter a number of GB, such as 24')),
  });
  return answer === undefined ? undefined : Number(answer.trim());
}

function isMemory(text: string): boolean {
  return /^\s*\d{1,5}(\.\d{1,2})?\s*$/.test(text) && Number(text) > 0;
}

interface MountingManifest {
  readonly uri: vscode.Uri;
  readonly part: number;
  readonly name: string;
}

/**
 * Shows which hardware has stock in the data center of a network volume. The choice goes into a manifest that mounts the volume, or else to
 * the clipboard.
 */
async function chooseForVolume(services: HardwareServices, volumeId: string): Promise<void> {
  const { services: account } = services;
  const { client } = requireConnection(account.connections);
  const volume = await client.getNetworkVolume({ id: volumeId });
  const manifests = await manifestsMounting(services, volume);
  if (manifests.length > 0) {
    const manifest = await oneOf(manifests, volume);
    if (!manifest) return;
    const document = await vscode.workspace.openTextDocument(manifest.uri);
    const file = await services.models.read(document);
    const part = file.parts[manifest.part];
    if (part) await chooseForManifest(services, { document, file, part });
    return;
  }
  await showAtVolume(services, client, volume);
}

async function showAtVolume(services: HardwareServices, client: Client, volume: NetworkVolume): Promise<void> {
  const needs = { ...NO_NEEDS, dataCenters: [volume.dataCenter] };
  const node = { kind: 'resource', group: 'networkVolumes', id: volume.id };
  const choice = await readChoice(services, [node], (signal) => readHardwareAt(client, needs, signal));
  const offers = await ask(shown`Hardware in ${volume.dataCenter}, for Workers with “${volume.name}”`, choice, true);
  if (!offers) return;
  await vscode.env.clipboard.writeText(offers.map(({ id }) => oneLine(id)).join('\n'));
  showStatusBarMessage(
    offers.length === 1 ? shown`$(check) ID copied` : shown`$(check) ${offers.length} IDs copied`,
    SHORTLY_MS,
  );
}

/** Finds the manifests of the workspace that mount a volume. */
async function manifestsMounting(
  { services: { clock, connections } }: HardwareServices,
  { id }: NetworkVolume,
): Promise<readonly MountingManifest[]> {
  const target = connections.profile?.kind ?? 'hosted';
  const folders = vscode.workspace.workspaceFolders ?? [];
  const found = await withLateProgress(clock, l10n.t('Reading the manifests…'), (signal) =>
    Promise.all(folders.map(({ uri }) => readManifests(workspaceTree, uri, signal))),
  );
  return found.flat().flatMap(({ place, content }) => {
    if (!('text' in content)) return [];
    const { parts } = readManifestFile(content.text, { language: languageOf(place), target });
    return parts
      .filter((part) => volumeIds(hardwareSettingsOf(part) ?? {}).includes(id))
      .map((part) => ({ uri: place, part: part.index, name: nameOf(part) ?? fileName(place) }));
  });
}

async function oneOf(
  manifests: readonly MountingManifest[],
  { name }: NetworkVolume,
): Promise<MountingManifest | undefined> {
  const [only, ...others] = manifests;
  if (others.length === 0) return only;
  const items = manifests.map((manifest) => ({
    label: shown`${manifest.name}`,
    description: shown`${vscode.workspace.asRelativePath(manifest.uri)}`,
    manifest,
  }));
  return (await pick(items, { placeholder: shown`Manifest that mounts “${name}”` }))?.manifest;
}
