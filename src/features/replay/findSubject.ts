import * as l10n from '@vscode/l10n';
import path from 'node:path';
import * as vscode from 'vscode';
import { RECORDING_SUFFIX } from '../../contract/recordedJob.ts';
import { UserError } from '../../kit/userError.ts';
import { withLateProgress } from '../../kit/progress.ts';
import { shown } from '../../text/shownText.ts';
import { requireConnection, requireConnectionOf } from '../../account/connections/requireConnection.ts';
import { dataDirectory } from '../../account/localPlatform/localPlatformSettings.ts';
import type { AccountServices } from '../../account/accountServices.ts';
import { readRecording } from '../gate/actions/readRecordings.ts';
import type { JobRecords } from '../jobs/index.ts';
import { readManifestOfRecording } from './actions/readManifestOfRecording.ts';
import { readPlatformJob } from './actions/readPlatformJob.ts';
import type { ReplaySources } from './actions/prepareReplay.ts';
import { settingsOfEndpoint } from './model/workerSettings.ts';

/** The job of a command, and whose values it uses. */
export interface FoundSubject extends Pick<
  ReplaySources,
  'subject' | 'settings' | 'source' | 'release' | 'dataDirectory'
> {
  /** Path of the manifest, or the endpoint with its connection: the owner of the values. */
  readonly owner: string;
  /** Folder in which a test is saved by default. */
  readonly folder: vscode.Uri | undefined;
}

type Services = Pick<AccountServices, 'context' | 'clock' | 'connections' | 'endpoints' | 'localPlatform'>;

/**
 * Returns the job that a command replays. @param argument a row of the jobs view, the address of a recording, or nothing for the active editor
 *
 * @throws UserError; ApiError
 */
export async function findSubject(
  services: Services,
  jobs: Pick<JobRecords, 'history' | 'requests'>,
  argument: unknown,
): Promise<FoundSubject> {
  const node = jobNodeOf(argument);
  if (node) {
    return withLateProgress(services.clock, l10n.t('Reading the job…'), (signal) =>
      subjectOfJob(services, jobs, node, signal),
    );
  }
  const uri = argument instanceof vscode.Uri ? argument : vscode.window.activeTextEditor?.document.uri;
  if (uri?.scheme !== 'file' || !uri.path.endsWith(RECORDING_SUFFIX))
    throw new UserError(l10n.t('select a job in the view “Jobs”, or open a recording'));
  return withLateProgress(services.clock, l10n.t('Reading the recording…'), (signal) =>
    subjectOfRecording(services, uri.fsPath, signal),
  );
}

interface JobNode {
  readonly connectionId: string;
  readonly jobId: string;
}

function jobNodeOf(value: unknown): JobNode | undefined {
  const { kind, connectionId, jobId } = (value ?? {}) as Readonly<Record<string, unknown>>;
  return kind === 'job' && typeof connectionId === 'string' && typeof jobId === 'string'
    ? { connectionId, jobId }
    : undefined;
}

async function subjectOfJob(
  services: Services,
  { history, requests }: Pick<JobRecords, 'history' | 'requests'>,
  { connectionId, jobId }: JobNode,
  signal: AbortSignal,
): Promise<FoundSubject> {
  const { client, profile } = requireConnectionOf(services.connections, connectionId);
  const stored = history.find(connectionId, jobId);
  if (!stored) throw new UserError(l10n.t('the job is no longer in the list'));
  const { endpointId, submittedAt } = stored;
  const isLocal = profile.kind === 'local';
  const request = await requests.get(connectionId, jobId);
  const found = await readPlatformJob(client, { endpointId, jobId, isLocal, request, submittedAt }, signal);
  if (found.kind === 'unfinished') throw new UserError(l10n.t('the job has not ended'));
  if (found.kind === 'noRequest')
    throw new UserError(l10n.t('the request of the job is not stored, and the platform does not return it'));
  const { subject, endpoint, release } = found;
  return {
    ...{ subject, settings: settingsOfEndpoint(endpoint), source: 'endpoint', release },
    ...{ owner: `${connectionId}/${endpointId}`, folder: folderOfFile(stored.file) },
    dataDirectory: isLocal ? volumesOfPlatform(services) : undefined,
  };
}

/** Returns the folder of a job file on this machine. */
function folderOfFile(file: string | undefined): vscode.Uri | undefined {
  return file?.startsWith('file:') === true ? vscode.Uri.joinPath(vscode.Uri.parse(file), '..') : undefined;
}

async function subjectOfRecording(services: Services, file: string, signal: AbortSignal): Promise<FoundSubject> {
  const { recorded } = await readRecording(file);
  const subject = { recorded, file };
  const volumes = { dataDirectory: volumesOfPlatform(services) };
  const manifest = await readManifestOfRecording({ file, endpoint: recorded.endpoint }, signal);
  if (manifest) {
    const { settings } = manifest;
    const folder = vscode.Uri.file(path.dirname(manifest.file));
    return { ...{ subject, settings, source: 'manifest', owner: manifest.file, folder }, ...volumes };
  }
  const { client, profile } = requireConnection(services.connections);
  const known = services.endpoints.endpoints.find(({ endpoint }) => endpoint.name === recorded.endpoint);
  if (!known) throw new UserError(shown`no manifest near the recording has the endpoint “${recorded.endpoint}”`);
  const { id } = known.endpoint;
  const settings = settingsOfEndpoint(await client.getEndpoint({ id }, { signal }));
  return { ...{ subject, settings, source: 'endpoint', owner: `${profile.id}/${id}`, folder: undefined }, ...volumes };
}

function volumesOfPlatform({ localPlatform: { state }, context }: Services): string | undefined {
  return state.kind === 'running' ? (state.announcement.dataDir ?? undefined) : dataDirectory(context);
}
