import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import type { CommandId } from '../../../kit/commandIds.ts';
import { codeLens } from '../../../kit/marks.ts';
import { shown } from '../../../text/shownText.ts';
import type { EndpointNode } from '../../../account/endpoints/endpointNode.ts';
import type { LocalFiles } from '../../../account/sourceLinks/localFiles.ts';
import { linksToPlaces } from '../../../account/sourceLinks/placeLinks.ts';
import { tracebackPlaces } from '../../../account/sourceLinks/tracebackPlaces.ts';
import type { JobRequests } from '../actions/jobRequests.ts';
import type { JobNode } from '../view/jobList.ts';
import { explanations, type ExplanationCode, type LoadedJob, hasTraceback } from './loadedJob.ts';
import type { JobDocuments } from './jobDocuments.ts';
import { imageWords } from './resultImages.ts';

const OPEN = 'vscode.open';
const IMAGES: CommandId = 'cloudCompute.jobs.openImages';
const REPLAY: CommandId = 'cloudCompute.jobs.replay';
const SAVE: CommandId = 'cloudCompute.jobs.saveOutput';
const LOGS: CommandId = 'cloudCompute.logs.open';
const TIMELINE: CommandId = 'cloudCompute.jobs.showTimeline';
/** The editor shows a lens without a command as text. */
const NOTHING = '';

/** Provides the actions and the explanations above the documents of a job. */
export class ResultLenses implements vscode.CodeLensProvider {
  readonly #documents: JobDocuments;
  readonly #requests: JobRequests;

  constructor(documents: JobDocuments, requests: JobRequests) {
    this.#documents = documents;
    this.#requests = requests;
  }

  async provideCodeLenses({ uri }: vscode.TextDocument): Promise<vscode.CodeLens[]> {
    const part = this.#documents.addressOf(uri)?.part;
    if (part === undefined) return [];
    const loaded = await this.#documents.jobOf(uri);
    if (part !== 'result')
      return [
        openLens(this.#documents, loaded, 'result', shown`$(json) Show Result`),
        ...logLens(loaded),
        ...lifeLenses(loaded),
      ];
    const codes: readonly ExplanationCode[] = [
      ...loaded.codes,
      ...((await this.#hasEmptyInput(loaded)) ? ['emptyInput' as const] : []),
    ];
    return [
      ...codes.map(explanationLens),
      ...(hasTraceback(loaded.job?.error)
        ? [openLens(this.#documents, loaded, 'error', shown`$(bug) Show Traceback`)]
        : []),
      ...(loaded.stream ? [openLens(this.#documents, loaded, 'stream', shown`$(output) Show Stream`)] : []),
      ...(loaded.job?.status === 'FAILED' || codes.includes('noOutput') ? logLens(loaded) : []),
      ...lifeLenses(loaded),
      ...(codes.includes('cut') || codes.includes('shortened') ? [saveLens(uri)] : []),
      ...imageLenses(uri, loaded),
    ];
  }

  async #hasEmptyInput({ address: { connectionId, jobId } }: LoadedJob): Promise<boolean> {
    const request = await this.#requests.get(connectionId, jobId);
    return request !== undefined && Object.keys(request.input).length === 0;
  }
}

function explanationLens(code: ExplanationCode): vscode.CodeLens {
  return codeLens(0, { title: shown`$(info) ${explanations[code]}`, tooltip: explanations[code], command: NOTHING });
}

function openLens(
  documents: Pick<JobDocuments, 'uri'>,
  { address }: LoadedJob,
  part: 'result' | 'error' | 'stream',
  title: Parameters<typeof codeLens>[1]['title'],
): vscode.CodeLens {
  const uri = documents.uri(address, part);
  return codeLens(0, { title, tooltip: l10n.t('Opens another document of this job'), command: OPEN, arguments: [uri] });
}

function logLens({ address: { endpointId }, job }: LoadedJob): vscode.CodeLens[] {
  const workerId = job?.workerId;
  if (workerId === undefined) return [];
  const title = shown`$(output) Show Logs`;
  const tooltip = shown`Opens the log of the worker ${workerId}`;
  const node: EndpointNode = { kind: 'worker', endpointId, workerId };
  return [codeLens(0, { title, tooltip, command: LOGS, arguments: [node] })];
}

function timelineLens({ address: { connectionId, jobId }, stored }: LoadedJob): vscode.CodeLens[] {
  if (!stored) return [];
  const title = shown`$(list-tree) Show Timeline`;
  const tooltip = l10n.t('Shows how the job spent its time');
  const node: JobNode = { kind: 'job', connectionId, jobId };
  return [codeLens(0, { title, tooltip, command: TIMELINE, arguments: [node] })];
}

/** A narrow column cuts a fourth lens. The timeline of a job that its handler failed tells little about the error. */
function lifeLenses(loaded: LoadedJob): vscode.CodeLens[] {
  const replay = replayLens(loaded);
  return loaded.job?.status === 'FAILED' && replay.length > 0 ? replay : [...timelineLens(loaded), ...replay];
}

function replayLens({ address: { connectionId, jobId }, stored, job }: LoadedJob): vscode.CodeLens[] {
  if (!stored || (job?.status !== 'FAILED' && job?.status !== 'TIMED_OUT')) return [];
  const title = shown`$(debug-alt) Replay Locally…`;
  const tooltip = l10n.t('Runs the job again on this machine, also under the debugger');
  const node: JobNode = { kind: 'job', connectionId, jobId };
  return [codeLens(0, { title, tooltip, command: REPLAY, arguments: [node] })];
}

function saveLens(uri: vscode.Uri): vscode.CodeLens {
  const title = shown`$(save-as) Save Output As…`;
  return codeLens(0, {
    title,
    tooltip: l10n.t('Saves the complete output to a file'),
    command: SAVE,
    arguments: [uri],
  });
}

function imageLenses(uri: vscode.Uri, { images, result }: LoadedJob): vscode.CodeLens[] {
  const all =
    images.length < 2
      ? []
      : [
          codeLens(0, {
            title: shown`$(file-media) Show ${images.length} Images…`,
            tooltip: l10n.t('Lists the images of the output'),
            command: IMAGES,
            arguments: [uri],
          }),
        ];
  const each = images.map((image, index) => {
    // A text that is cut does not contain all images.
    const line = result.linesOf.get(JSON.stringify(image.path)) ?? 0;
    const isRemote = image.kind === 'remote';
    return codeLens(line, {
      title: isRemote
        ? shown`$(link-external) Open Image (${imageWords(image)})`
        : shown`$(file-media) Show Image (${imageWords(image)})`,
      tooltip: isRemote ? l10n.t('Opens the address in the browser') : l10n.t('Opens the image in a preview'),
      command: IMAGES,
      arguments: [uri, index],
    });
  });
  return [...all, ...each];
}

/** Links the places of a traceback to the files of the worker on this machine. */
export class TracebackLinks implements vscode.DocumentLinkProvider {
  readonly #documents: JobDocuments;
  readonly #localFiles: LocalFiles;

  constructor(documents: JobDocuments, localFiles: LocalFiles) {
    this.#documents = documents;
    this.#localFiles = localFiles;
  }

  async provideDocumentLinks(document: vscode.TextDocument): Promise<vscode.DocumentLink[]> {
    if (this.#documents.addressOf(document.uri)?.part !== 'error') return [];
    const places = tracebackPlaces(document.getText());
    if (places.length === 0) return [];
    const { directory } = await this.#documents.jobOf(document.uri);
    const named = places.map((place) => ({
      range: new vscode.Range(document.positionAt(place.start), document.positionAt(place.end)),
      place,
    }));
    return linksToPlaces(named, directory, this.#localFiles);
  }
}
