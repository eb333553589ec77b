/* Calls of functions that receive a text and other values. */

import { systemClock } from '../../src/client/clock.ts';
import { balancerError, routeError } from '../../src/client/callRoute.ts';
import { operations } from '../../src/contract/operations.ts';
import { S3Delete } from '../../src/contract/s3/s3Documents.ts';
import { readXml, XmlProblem } from '../../src/contract/s3/xml.ts';
import { momentOf } from '../../src/agents/actions/tools/fields.ts';
import { AnswerReader } from '../../src/features/requests/chatModels/model/answerReader.ts';
import { TokenEstimate } from '../../src/features/requests/chatModels/tokenCounter.ts';
import { readImageFile } from '../../src/features/images/actions/readSource.ts';
import { fileNames, sourcePlaces } from '../../src/features/images/history/model/fileName.ts';
import { parseRecord } from '../../src/features/images/history/model/keptRecord.ts';
import { rowOfText } from '../../src/features/jobs/batch/model/sourceRow.ts';
import { formContent } from '../../src/features/jobs/form/formView.ts';
import { tokensOf } from '../../src/features/jobs/model/declared/tokens.ts';
import { changesAt, changesForValue, withChanges } from '../../src/features/jobs/model/jobFileChanges.ts';
import { dataUrl } from '../../src/features/jobs/model/dataUrl.ts';
import { insertedStrings } from '../../src/features/jobs/model/insertion.ts';
import { lineAndColumn } from '../../src/features/jobs/model/jobInput.ts';
import { LineText } from '../../src/features/logs/model/lineText.ts';
import { parseMoment, timeIn } from '../../src/features/logs/model/moments.ts';
import { RepeatCollapser } from '../../src/features/logs/model/repeats.ts';
import { writtenEndpoints } from '../../src/features/manifest/model/text/parse.ts';
import {
  columnOf,
  indentOf,
  lineEnd,
  lineStart,
  nextLine,
  trimmedEnd,
} from '../../src/features/manifest/model/editing/lines.ts';
import { linesOf } from '../../src/features/manifest/model/reading/folding.ts';
import { lineAt } from '../../src/features/manifest/model/text/locate.ts';
import { pauseAfter } from '../../src/features/requests/actions/untilWorkerReady.ts';
import { isImportable } from '../../src/features/manifest/model/worker/functionFiles.ts';
import { handlerIn, lineEndAt, lineStartAt } from '../../src/features/requests/model/lineSyntax.ts';
import { systemValue } from '../../src/features/requests/model/systemVariables.ts';
import { bodyTypeOf, decodeBody } from '../../src/features/requests/responses/bodyKind.ts';
import { hideSecrets } from '../../src/account/withoutSecrets.ts';
import { checkStatusLine, responseHead } from '../../src/platform/balancer/answer.ts';
import { answerHeaders, requestHeaders } from '../../src/platform/balancer/headers.ts';
import { ImportTimes } from '../../src/platform/domain/importTimes.ts';
import { moment } from '../../src/platform/domain/seed.ts';
import { LineSplitter } from '../../src/platform/logs/lineSplitter.ts';
import { readJson } from '../../src/platform/routes/route.ts';
import { JobRequest } from '../../src/contract/job.ts';
import { BytesJson } from '../../src/platform/domain/largeJson.ts';
import { parseBody, parseJson } from '../../src/platform/http/jsonBody.ts';
import { pullFailure } from '../../src/platform/runtimes/container/pullFailure.ts';
import { JsonProgress, LineProgress, type ProgressReader } from '../../src/machine/builder/buildProgress.ts';
import { referenceOf } from '../../src/platform/runtimes/imageReference.ts';
import { LogRecords } from '../../src/platform/runtimes/kubernetes/logRecords.ts';
import { commandFailure, pullFailure as pullFailureOfPod } from '../../src/platform/runtimes/kubernetes/podFailure.ts';
import { InspectorAnnouncements } from '../../src/platform/runtimes/process/processDebugger.ts';

/** Number of pieces of a text for functions that receive its pieces in turn. */
const PIECES = 512;

function inPieces(take: (piece: Buffer) => unknown): (text: string) => void {
  return (text) => {
    const bytes = Buffer.from(text);
    const size = Math.ceil(bytes.length / PIECES);
    for (let at = 0; at < bytes.length; at += size) take(bytes.subarray(at, at + size));
  };
}

/** Reads a text as one line, and line by line. */
function readLines(reader: ProgressReader, text: string): void {
  for (const line of [text, ...text.split('\n')]) reader.read(line);
}

const pod = { image: 'a', hasCredentials: false };

/** Calls a function, or a new object of a class, with a text. */
type Caller = (text: string) => unknown;

export const callers: Readonly<Record<string, Caller>> = {
  'src/client/callRoute.ts#balancerError': (text) => balancerError(new Headers(), text),
  'src/client/callRoute.ts#routeError': (text) =>
    routeError({ clock: systemClock }, { status: 500, headers: new Headers() }, text),
  'src/agents/actions/tools/fields.ts#momentOf': (text) => momentOf(text, 0),
  'src/features/requests/chatModels/model/answerReader.ts#AnswerReader.feed': (text) => {
    for (const type of ['text/event-stream', 'application/json']) {
      const reader = new AnswerReader(type);
      inPieces((piece) => [...reader.feed(piece)])(text);
    }
  },
  'src/features/requests/chatModels/tokenCounter.ts#TokenEstimate.of': (text) => new TokenEstimate().of(text),
  'src/contract/s3/xml.ts#readXml': (text) => {
    for (const document of [text, `<Delete>${text}</Delete>`]) {
      try {
        readXml(S3Delete, document);
      } catch (error) {
        if (!(error instanceof XmlProblem)) throw error;
      }
    }
  },
  'src/features/images/history/model/fileName.ts#fileNames': (text) => fileNames(text, 'png').next(),
  'src/features/images/history/model/keptRecord.ts#parseRecord': (text) => parseRecord(text, 'folder'),
  'src/features/images/history/model/fileName.ts#sourcePlaces': (text) => sourcePlaces(text, [{ name: 'a' }]),
  'src/features/images/actions/readSource.ts#readImageFile': (text) => readImageFile(Buffer.from(text), 'a.png'),
  'src/features/jobs/batch/model/sourceRow.ts#rowOfText': (text) => rowOfText(1, text),
  'src/features/jobs/form/formView.ts#formContent': (text) => formContent(text, [], () => Promise.resolve([])),
  'src/features/jobs/model/declared/tokens.ts#tokensOf': (text) => {
    for (const language of ['python', 'javascript'] as const) tokensOf(text, language);
  },
  'src/features/jobs/model/jobFileChanges.ts#changesAt': (text) =>
    changesAt(JSON.stringify({ input: { text } }), ['input', 'a'], text),
  'src/features/jobs/model/jobFileChanges.ts#changesForValue': (text) =>
    changesForValue(JSON.stringify({ input: { text } }), ['a'], text),
  'src/features/jobs/model/jobFileChanges.ts#withChanges': (text) =>
    withChanges(text, [{ start: 0, end: 1, text: 'a' }]),
  'src/features/jobs/model/dataUrl.ts#dataUrl': (text) => dataUrl('image/png', Buffer.from(text)),
  'src/features/jobs/model/insertion.ts#insertedStrings': (text) =>
    insertedStrings(text, { start: text.length - 1, end: text.length - 1 }, [{ text: 'a', member: 'b' }]),
  'src/features/jobs/model/jobInput.ts#lineAndColumn': (text) => lineAndColumn(text, text.length),
  'src/features/logs/model/moments.ts#timeIn': (text) => timeIn(text, { from: 0, to: 1 }, 0),
  'src/features/logs/model/lineText.ts#LineText.note': (text) => new LineText({ timestamps: 'off' }).note(text, 0),
  'src/features/logs/model/moments.ts#parseMoment': (text) => parseMoment(text, 0),
  'src/features/logs/model/repeats.ts#RepeatCollapser.take': (text) => {
    const repeats = new RepeatCollapser();
    for (const line of text.split('\n')) repeats.take(line);
  },
  'src/features/manifest/model/text/parse.ts#writtenEndpoints': (text) => {
    for (const extension of ['yaml', 'json']) writtenEndpoints(text, `a.endpoint.${extension}`);
  },
  'src/features/manifest/model/editing/lines.ts#columnOf': (text) => columnOf(text, text.length),
  'src/features/manifest/model/editing/lines.ts#indentOf': (text) => indentOf(text, text.length),
  'src/features/manifest/model/editing/lines.ts#lineEnd': (text) => lineEnd(text, 0),
  'src/features/manifest/model/editing/lines.ts#lineStart': (text) => lineStart(text, text.length),
  'src/features/manifest/model/editing/lines.ts#nextLine': (text) => nextLine(text, 0),
  'src/features/manifest/model/editing/lines.ts#trimmedEnd': (text) => trimmedEnd(text, { start: 0, end: text.length }),
  'src/features/manifest/model/text/locate.ts#lineAt': (text) => lineAt(text, text.length),
  'src/features/manifest/model/reading/folding.ts#linesOf': (text) => linesOf(text),
  'src/features/requests/actions/untilWorkerReady.ts#pauseAfter': (text) =>
    pauseAfter({ clock: systemClock }, new Headers(), text),
  'src/features/manifest/model/worker/functionFiles.ts#isImportable': (text) => isImportable('a.py', text),
  'src/features/requests/model/lineSyntax.ts#handlerIn': (text) => [handlerIn(text, true), handlerIn(text, false)],
  'src/features/requests/model/lineSyntax.ts#lineEndAt': (text) => lineEndAt(text, 0),
  'src/features/requests/model/lineSyntax.ts#lineStartAt': (text) => lineStartAt(text, text.length),
  'src/features/requests/model/systemVariables.ts#systemValue': (text) =>
    ['', '$guid ', '$randomInt ', '$datetime ', '$timestamp '].map((name) =>
      systemValue(`${name}${text}`, { now: 0, random: () => 0 }),
    ),
  'src/features/requests/responses/bodyKind.ts#bodyTypeOf': (text) => [
    bodyTypeOf([], Buffer.from(text)),
    bodyTypeOf([{ name: 'content-type', value: text }], Buffer.from('a')),
  ],
  'src/features/requests/responses/bodyKind.ts#decodeBody': (text) => decodeBody(Buffer.from(text), undefined, false),
  'src/account/withoutSecrets.ts#hideSecrets': (text) => hideSecrets(text, ['aaaaaaaa', '11111111']),
  'src/machine/builder/buildProgress.ts#JsonProgress.read': (text) => readLines(new JsonProgress(), text),
  'src/machine/builder/buildProgress.ts#LineProgress.read': (text) => readLines(new LineProgress(), text),
  'src/platform/balancer/answer.ts#checkStatusLine': (text) => checkStatusLine(200, text),
  'src/platform/balancer/answer.ts#responseHead': (text) => responseHead(200, text, ['a', text]),
  'src/platform/balancer/headers.ts#answerHeaders': (text) =>
    answerHeaders(['connection', text, ...text.split('\n').flatMap((line) => [line, line])], 'w'),
  'src/platform/balancer/headers.ts#requestHeaders': (text) =>
    requestHeaders(['connection', text, ...text.split('\n').flatMap((line) => [line, line])], {
      host: 'a',
      address: '127.0.0.1',
      prefix: '',
      forwardedFor: text,
    }),
  'src/platform/domain/seed.ts#moment': (text) => moment(text, 0),
  'src/platform/domain/importTimes.ts#ImportTimes.read': (text) => new ImportTimes().read(text, 0),
  'src/platform/logs/lineSplitter.ts#LineSplitter.write': (text) => {
    const splitter = new LineSplitter(() => undefined);
    inPieces((piece) => splitter.write(piece))(text);
    splitter.end();
  },
  'src/platform/domain/largeJson.ts#BytesJson.constructor': (text) => [...new BytesJson(Buffer.from(text)).parts()],
  'src/platform/http/jsonBody.ts#parseBody': (text) => parseBody(text, JobRequest, 400),
  'src/platform/http/jsonBody.ts#parseJson': (text) => parseJson(text, 400),
  'src/platform/routes/route.ts#readJson': (text) => readJson(operations.createEndpoint, text),
  'src/platform/runtimes/container/pullFailure.ts#pullFailure': (text) =>
    pullFailure(text, { reference: referenceOf('a'), withCredentials: false }),
  'src/platform/runtimes/kubernetes/logRecords.ts#LogRecords.push': (text) => {
    const records = new LogRecords();
    inPieces((piece) => records.push(piece))(text);
  },
  'src/platform/runtimes/kubernetes/podFailure.ts#commandFailure': (text) => commandFailure(text, pod),
  'src/platform/runtimes/kubernetes/podFailure.ts#pullFailure': (text) => pullFailureOfPod(text, pod),
  'src/platform/runtimes/process/processDebugger.ts#InspectorAnnouncements.read': (text) => {
    const announcements = new InspectorAnnouncements();
    inPieces((piece) => announcements.read(piece))(text);
  },
};
