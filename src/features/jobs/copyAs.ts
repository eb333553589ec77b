import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import { isEndpointNode } from '../../account/endpoints/endpointNode.ts';
import { showStatusBarMessage } from '../../kit/messages.ts';
import { pick } from '../../kit/quickInput.ts';
import { oneLine, shown, withoutControls, type ShownText } from '../../text/shownText.ts';
import { UserError } from '../../kit/userError.ts';
import { requireConnection } from '../../account/connections/requireConnection.ts';
import { chosenEndpoints } from '../../account/endpoints/chosenEndpoints.ts';
import type { EndpointSnapshot } from '../../account/endpoints/endpointSnapshot.ts';
import { curlCommand, requestUrl } from '../../account/requestCode/requestExample.ts';
import { callUrl } from '../../client/request.ts';
import { operations } from '../../contract/operations.ts';
import { MAX_WAIT_MS, MIN_WAIT_MS } from '../../contract/job.ts';
import { dataSize } from '../../text/quantities.ts';
import { CODE_LANGUAGES, CODE_NAMES } from '../../account/requestCode/requestCode.ts';
import { isJobFile } from './jobShells.ts';
import type { JobServices } from './jobServices.ts';
import { jobNodesIn } from './view/jobList.ts';
import { chosenJobs, type ChosenJobs } from './view/chosenJobs.ts';
import { linkText, platformOf, type Link } from './model/link.ts';
import { endpointOfFile } from './chooseEndpoint.ts';
import { readOpenJobFile } from './jobFiles.ts';
import { sizeProblem, type RunKind } from './model/jobInput.ts';

/** Copies the request of a CodeLens, or the one at the cursor, as code. */
export type CopyRequest = (uri: unknown, index: unknown) => Promise<void>;

/** Copies endpoints, jobs, a job file, or a request in a form that the user chooses. */
export async function copyAs(services: JobServices, copyRequest: CopyRequest, args: readonly unknown[]): Promise<void> {
  const [first, index] = args;
  if (jobNodesIn(args).length > 0) return copyJobsAs(services, args);
  if (isEndpointNode(first)) return copyEndpointsAs(services, args);
  const document = vscode.window.activeTextEditor?.document;
  const uri = first instanceof vscode.Uri ? first : document?.uri;
  if (uri && isJobFile(uri)) return copyJobFileAs(services, uri);
  if (first instanceof vscode.Uri || document?.languageId === 'http') return copyRequest(first, index);
  return copyEndpointsAs(services, args);
}

/** Duration of a confirmation in the status bar, in ms. */
const CONFIRMATION_MS = 3_000;

/** A form in which something is copied, one text for each row. */
interface Form {
  readonly label: ShownText;
  readonly detail: string;
  readonly texts: () => readonly string[];
}

/** Copies the IDs, links, or requests of the chosen endpoints. */
async function copyEndpointsAs(services: JobServices, args: readonly unknown[]): Promise<void> {
  const chosen = await chosenEndpoints(services, args, l10n.t('Endpoint to copy'));
  if (chosen.length === 0) return;
  const platform = platformOf(requireConnection(services.connections).profile);
  await copy([
    {
      label: shown`$(symbol-key) ID`,
      detail: l10n.t('The ID of the endpoint'),
      texts: () => chosen.map(({ endpoint }) => oneLine(endpoint.id)),
    },
    {
      label: shown`$(link) Link`,
      detail: l10n.t('A link that selects the endpoint in the editor of a teammate'),
      texts: () => chosen.map(({ endpoint }) => textOf({ endpointId: endpoint.id, ...platform })),
    },
    {
      label: shown`$(globe) Request URL`,
      detail: l10n.t('The URL to which programs send requests'),
      texts: () => chosen.map(urlOf),
    },
    {
      label: shown`$(terminal) cURL Command`,
      detail: l10n.t('A request that reads the API key from an environment variable'),
      texts: () => chosen.map((snapshot) => curlCommand(snapshot.endpoint, urlOf(snapshot))),
    },
  ]);
}

/** Copies the IDs or links of the chosen jobs. */
async function copyJobsAs(services: JobServices, args: readonly unknown[]): Promise<void> {
  const chosen = await chosenJobs(services, args, l10n.t('Job to copy'));
  if (!chosen) return;
  const profile = services.connections.find(chosen.connectionId);
  if (!profile) throw new UserError(l10n.t('the connection of the job no longer exists'));
  const platform = platformOf(profile);
  await copy([
    {
      label: shown`$(symbol-key) ID`,
      detail: l10n.t('The ID of the job'),
      texts: () => chosen.jobs.map(({ id }) => oneLine(id)),
    },
    {
      label: shown`$(link) Link`,
      detail: l10n.t('A link that opens the job in the editor of a teammate'),
      texts: () => chosen.jobs.map(({ id, endpointId }) => textOf({ endpointId, jobId: id, ...platform })),
    },
  ]);
}

async function copy(forms: readonly Form[]): Promise<void> {
  const form = await pick(forms, { title: l10n.t('Copy As') });
  if (!form) return;
  await vscode.env.clipboard.writeText(form.texts().map(withoutControls).join('\n'));
  showStatusBarMessage(shown`$(check) Copied`, CONFIRMATION_MS);
}

const textOf = (link: Link): string => linkText(vscode.env.uriScheme, link);

/** @throws UserError if the platform reports no URL */
function urlOf({ endpoint }: EndpointSnapshot): string {
  const url = requestUrl(endpoint);
  if (url === undefined) throw new UserError(shown`the platform reports no request URL for “${endpoint.name}”`);
  return url;
}

/** Copies the IDs of jobs, one per line. */
export async function copyJobIds({ jobs }: ChosenJobs): Promise<void> {
  await vscode.env.clipboard.writeText(jobs.map(({ id }) => oneLine(id)).join('\n'));
  showStatusBarMessage(
    jobs.length === 1 ? l10n.t('Job ID copied') : l10n.t`${jobs.length} job IDs copied`,
    CONFIRMATION_MS,
  );
}

const kinds: Readonly<Record<RunKind, string>> = { run: l10n.t('Run'), runSync: l10n.t('Run and Wait') };

/** Copies the request of a job file as code. */
async function copyJobFileAs(services: JobServices, uri: vscode.Uri): Promise<void> {
  const { client } = requireConnection(services.connections);
  const { file, body } = await readOpenJobFile(uri, 'cloudCompute.copyAs');
  const endpoint = await endpointOfFile(services, { uri, endpoint: file.endpoint });
  if (!endpoint) return;
  const items = CODE_LANGUAGES.flatMap((language) =>
    (Object.keys(kinds) as RunKind[]).map((kind) => ({
      label: `${CODE_NAMES[language]}: ${kinds[kind]}`,
      language,
      sentAs: kind,
    })),
  );
  const chosen = await pick(items, {
    title: l10n.t('Copy Job Request As'),
    placeholder: l10n.t('Language of the code'),
  });
  if (!chosen) return;
  const { language, sentAs: kind } = chosen;
  const problem = sizeProblem(body, kind);
  if (problem)
    throw new UserError(
      shown`the request has ${dataSize(problem.bytes)}, and “${kinds[kind]}” accepts at most ${dataSize(problem.limit)}`,
    );
  const { jobRequestCode } = await import('../../account/requestCode/requestExample.ts');
  const url = jobUrlOf(client.context, endpoint, kind);
  await vscode.env.clipboard.writeText(jobRequestCode(language, url, body));
  showStatusBarMessage(shown`$(check) Request copied as ${CODE_NAMES[language]}`, CONFIRMATION_MS);
}

type Context = Parameters<typeof callUrl>[2];

function jobUrlOf(context: Context, { endpoint: { id, timeout } }: EndpointSnapshot, kind: RunKind): string {
  const parameters = { endpointId: id };
  if (kind === 'run') return callUrl('runJob', operations.runJob, context, { parameters }).href;
  const query = { wait: Math.min(Math.max(timeout, MIN_WAIT_MS), MAX_WAIT_MS) };
  return callUrl('runJobSync', operations.runJobSync, context, { parameters, query }).href;
}
