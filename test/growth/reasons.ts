/* Functions that receive a text and other values: their callers, and the reasons why some are not called. */

/* eslint-disable @typescript-eslint/no-explicit-any, @typescript-eslint/no-unsafe-assignment, @typescript-eslint/no-unsafe-call, @typescript-eslint/no-unsafe-return, @typescript-eslint/no-unsafe-member-access -- The functions have different types, which the compiler checks where the product calls them. */

import { JobRequest } from '../../src/contract/job.ts';

/** Returns a function that passes a text to a function, or to a new object of a class. */
type Caller = (target: any) => (text: string) => unknown;

const atEnd: Caller = (target) => (text) => target(text, text.length);
const atStart: Caller = (target) => (text) => target(text, 0);

/** Number of pieces of a text for functions that receive its pieces in turn. */
const PIECES = 512;

function inPieces(take: (piece: Buffer) => unknown): (text: string) => void {
  return (text) => {
    const bytes = Buffer.from(text);
    const size = Math.ceil(bytes.length / PIECES);
    for (let at = 0; at < bytes.length; at += size) take(bytes.subarray(at, at + size));
  };
}

const image = { reference: 'a', withCredentials: false, image: 'a', hasCredentials: false };

export const callers: Readonly<Record<string, Caller>> = {
  'src/client/callRoute.ts#balancerError': (target) => (text) => target(new Headers(), text),
  'src/client/callRoute.ts#routeError': (target) => (text) =>
    target({ clock: { now: () => 0 } }, { status: 500, headers: new Headers() }, text),
  'src/features/agents/actions/tools/fields.ts#momentOf': atStart,
  'src/features/chatModels/model/answerReader.ts#AnswerReader.feed': (target) => (text) => {
    for (const type of ['text/event-stream', 'application/json']) {
      const reader = new target(type);
      inPieces((piece) => [...reader.feed(piece)])(text);
    }
  },
  'src/features/chatModels/model/tokenEstimate.ts#TokenEstimate.of': (target) => (text) => new target().of(text),
  'src/features/connections/connectionDocument.ts#migrateLegacy': (target) => (text) => target(text, () => 'id'),
  'src/features/images/history/model/keptRecord.ts#parseRecord': (target) => (text) => target(text, 'folder'),
  'src/features/images/history/model/sourcePlaces.ts#sourcePlaces': (target) => (text) => target(text, [{ name: 'a' }]),
  'src/features/images/actions/readSource.ts#readImageFile': (target) => (text) => target(Buffer.from(text), 'a.png'),
  'src/features/jobs/batch/model/sourceRow.ts#rowOfText': (target) => (text) => target({ row: 1, line: 1 }, text),
  'src/features/jobs/model/dataUrl.ts#dataUrl': (target) => (text) => target('image/png', Buffer.from(text)),
  'src/features/jobs/model/insertion.ts#insertedStrings': (target) => (text) =>
    target(text, { start: text.length - 1, end: text.length - 1 }, [{ text: 'a' }]),
  'src/features/jobs/model/jobInput.ts#lineAndColumn': atEnd,
  'src/features/jobs/model/schema/sourceText.ts#SourceText.constructor': (target) => (text) => {
    const source = new target('a:/b', text);
    for (let part = 0; part < 1_000; part++) source.positionAt(Math.floor((text.length * part) / 1_000));
  },
  'src/features/logs/fullLog/model/timeInLog.ts#timeIn': (target) => (text) => target(text, { from: 0, to: 1 }, 0),
  'src/features/logs/model/lineText.ts#LineText.note': (target) => (text) =>
    new target({ timestamps: 'off' }).note(text, 0),
  'src/features/logs/model/moments.ts#parseMoment': atStart,
  'src/features/logs/model/repeats.ts#RepeatCollapser.take': (target) => (text) => {
    const repeats = new target();
    for (const line of text.split('\n')) repeats.take(line);
  },
  'src/features/manifest/model/editing/lines.ts#columnOf': atEnd,
  'src/features/manifest/model/editing/lines.ts#indentOf': atEnd,
  'src/features/manifest/model/editing/lines.ts#lineEnd': atStart,
  'src/features/manifest/model/editing/lines.ts#lineStart': atEnd,
  'src/features/manifest/model/editing/lines.ts#nextLine': atStart,
  'src/features/manifest/model/editing/lines.ts#trimmedEnd': (target) => (text) =>
    target(text, { start: 0, end: text.length }),
  'src/features/manifest/model/text/locate.ts#lineAt': atEnd,
  'src/features/manifest/model/text/lineStarts.ts#LineStarts.constructor': (target) => (text) => new target(text),
  'src/features/routes/actions/untilWorkerReady.ts#pauseAfter': (target) => (text) =>
    target({ clock: { now: () => 0 } }, new Headers(), text),
  'src/features/routes/model/lineSyntax.ts#handlerIn': (target) => (text) => [target(text, true), target(text, false)],
  'src/features/routes/model/lineSyntax.ts#lineEndAt': atStart,
  'src/features/routes/model/lineSyntax.ts#lineStartAt': atEnd,
  'src/features/routes/model/systemVariables.ts#systemValue': (target) => (text) =>
    ['', '$guid ', '$randomInt ', '$datetime ', '$timestamp '].map((name) =>
      target(`${name}${text}`, { now: () => 0, random: () => 0 }),
    ),
  'src/features/routes/responses/bodyKind.ts#bodyTypeOf': (target) => (text) => [
    target([], Buffer.from(text)),
    target([{ name: 'content-type', value: text }], Buffer.from('a')),
  ],
  'src/features/routes/responses/bodyKind.ts#decodeBody': (target) => (text) =>
    target(Buffer.from(text), undefined, false),
  'src/features/withoutSecrets.ts#hideSecrets': (target) => (text) => target(text, ['aaaaaaaa', '11111111']),
  'src/platform/balancer/answer.ts#checkStatusLine': (target) => (text) => target(200, text),
  'src/platform/balancer/answer.ts#responseHead': (target) => (text) => target(200, text, ['a', text]),
  'src/platform/balancer/headers.ts#answerHeaders': (target) => (text) =>
    target(['connection', text, ...text.split('\n').flatMap((line) => [line, line])], 'w'),
  'src/platform/balancer/headers.ts#requestHeaders': (target) => (text) =>
    target(['connection', text, ...text.split('\n').flatMap((line) => [line, line])], {
      host: 'a',
      address: '127.0.0.1',
      prefix: '',
      forwardedFor: text,
    }),
  'src/platform/domain/seed.ts#moment': atStart,
  'src/platform/images/codecs/lzw.ts#unpackLzw': (target) => (text) => target(Buffer.from(text), 8, text.length),
  'src/platform/logs/lineSplitter.ts#LineSplitter.write': (target) => (text) => {
    const splitter = new target(() => undefined);
    inPieces((piece) => splitter.write(piece))(text);
    splitter.end();
  },
  'src/platform/domain/largeJson.ts#BytesJson.constructor': (target) => (text) => [
    ...new target(Buffer.from(text)).parts(),
  ],
  'src/platform/http/jsonBody.ts#parseBody': (target) => (text) => target(text, JobRequest, 400),
  'src/platform/http/jsonBody.ts#parseJson': (target) => (text) => target(text, 400),
  'src/platform/routes/route.ts#readJson': (target) => (text) => target({}, text),
  'src/platform/runtimes/container/pullFailure.ts#pullFailure': (target) => (text) => target(text, image),
  'src/platform/runtimes/kubernetes/logRecords.ts#LogRecords.push': (target) => (text) => {
    const records = new target();
    inPieces((piece) => records.push(piece))(text);
  },
  'src/platform/runtimes/kubernetes/podFailure.ts#commandFailure': (target) => (text) => target(text, image),
  'src/platform/runtimes/kubernetes/podFailure.ts#pullFailure': (target) => (text) => target(text, image),
  'src/platform/runtimes/process/processDebugger.ts#InspectorAnnouncements.read': (target) => (text) => {
    const announcements = new target();
    inPieces((piece) => announcements.read(piece))(text);
  },
};

function each(reason: string, ids: readonly string[]): Record<string, string> {
  return Object.fromEntries(ids.map((id) => [id, reason]));
}

/** Functions that are not called, with the reason. */
export const notRead: Readonly<Record<string, string>> = {
  ...each('writes, stores, or passes on the text, and does not read it', [
    'src/features/agents/actions/callTool.ts#refusedOutcome',
    'src/platform/bodies/bodyThread.ts#BodyThread.request',
    'src/platform/bodies/bodyThread.ts#BodyThread.result',
    'src/features/chatModels/actions/countTokens.ts#countTokens',
    'src/features/chatModels/actions/incomingResponse.ts#IncomingResponse.push',
    'src/features/endpoints/editing/endpointDocuments.ts#EndpointDocuments.writeFile',
    'src/features/endpoints/editing/saveEdit.ts#saveEdit',
    'src/features/extensionApi/apiFailure.ts#ApiFailure.constructor',
    'src/features/images/history/actions/editFiles.ts#EditFiles.addThumbnail',
    'src/features/images/history/actions/writeInside.ts#writeInside',
    'src/features/images/history/editHistoryStore.ts#EditHistoryStore.addThumbnail',
    'src/features/images/imageEditStore.ts#ImageEditStore.setUrl',
    'src/features/images/pictureRegister.ts#PictureRegister.idOf',
    'src/features/jobs/batch/appendedFile.ts#AppendedFile.append',
    'src/features/jobs/batch/brokenRowsDocuments.ts#BrokenRowsDocuments.add',
    'src/features/jobs/jobFiles.ts#openDraft',
    'src/features/logs/colors/lineColors.ts#LineColors.remember',
    'src/features/logs/colors/lineColors.ts#LineColors.spansOf',
    'src/features/manifest/newFile/untitled.ts#untitled',
    'src/features/routes/language/newHttpFile.ts#openNewHttpFile',
    'src/features/routes/send/exchange.ts#Exchange.receive',
    'src/features/routes/sockets/frameLog.ts#FrameLog.event',
    'src/platform/balancer/forwardedRequest.ts#ForwardedRequest.onResponseData',
    'src/platform/logs/logBuffer.ts#LogBuffer.add',
    'src/vscode/testing.ts#appendTestOutput',
  ]),
  ...each('receives text that a person types or chooses', [
    'src/features/firstSteps/actions/copySample.ts#copySample',
    'src/features/firstSteps/actions/copySample.ts#folderState',
    'src/features/firstSteps/actions/copySample.ts#sampleFolderIn',
    'src/features/firstSteps/chooseSampleFolder.ts#chooseSampleFolder',
    'src/features/images/batch/actions/saveEditedImages.ts#editedFolderOf',
    'src/features/images/batch/imageBatches.ts#targetOf',
    'src/features/tasks/taskTerminal.ts#TaskTerminal.handleInput',
  ]),
  ...each('is a step of readManifestFile, completionsAt, or an edit, whose manifests have at most 64 KiB', [
    'src/features/endpoints/actions/updateEndpoint.ts#readEdit',
    'src/features/manifest/catalog/referenceLookup.ts#ReferenceLookup.unwatch',
    'src/features/manifest/catalog/referenceLookup.ts#ReferenceLookup.watch',
    'src/features/manifest/deployed/writeChanges.ts#writeChanges',
    'src/features/manifest/model/completion/flowReader.ts#FlowReader.constructor',
    'src/features/manifest/model/completion/writing.ts#writingAt',
    'src/features/manifest/model/completion/yamlLine.ts#contentOf',
    'src/features/manifest/model/completion/yamlLine.ts#isDash',
    'src/features/manifest/model/completion/yamlLine.ts#isDocumentMark',
    'src/features/manifest/model/completion/yamlLine.ts#isEmpty',
    'src/features/manifest/model/completion/yamlLine.ts#keyOf',
    'src/features/manifest/model/completion/yamlLine.ts#lineAt',
    'src/features/manifest/model/completion/yamlLine.ts#nextContent',
    'src/features/manifest/model/completion/yamlLine.ts#plainOf',
    'src/features/manifest/model/completion/yamlLine.ts#withoutProperties',
    'src/features/manifest/model/completion/yamlPlace.ts#yamlPlace',
    'src/features/manifest/model/draft.ts#draftOf',
    'src/features/manifest/model/editing/changesOf.ts#documentAt',
    'src/features/manifest/model/editing/flowCollection.ts#appended',
    'src/features/manifest/model/editing/flowCollection.ts#hasOwnLines',
    'src/features/manifest/model/editing/flowCollection.ts#insertion',
    'src/features/manifest/model/editing/flowCollection.ts#removed',
    'src/features/manifest/model/editing/jsonChanges.ts#withoutJsonMember',
    'src/features/manifest/model/editing/lines.ts#joined',
    'src/features/manifest/model/editing/textChanges.ts#applyChanges',
    'src/features/manifest/model/editing/yamlChanges.ts#withoutYamlMember',
    'src/features/manifest/model/editing/yamlChanges.ts#yamlChanges',
    'src/features/manifest/model/editing/yamlStyle.ts#styleOf',
    'src/features/manifest/model/editing/yamlText.ts#quoted',
    'src/features/manifest/model/problem.ts#firstLine',
    'src/features/manifest/model/problem.ts#visible',
    'src/features/manifest/model/starters/section.ts#nameSpan',
    'src/features/manifest/model/suggestion.ts#withSuggestion',
    'src/features/manifest/model/text/extent.ts#extentOf',
    'src/features/manifest/model/text/extent.ts#memberExtent',
    'src/features/manifest/model/text/extent.ts#partExtent',
    'src/features/manifest/model/text/extent.ts#withoutQuotes',
    'src/features/manifest/model/text/jsonTree.ts#jsonTree',
    'src/features/manifest/model/text/locate.ts#locate',
    'src/features/manifest/model/text/parse.ts#parseManifestFile',
    'src/features/manifest/model/text/yamlTree.ts#yamlTree',
  ]),
  ...each('is a step of parseHttpFile or resolveRequest, which test/features/routes/model/linear.test.ts covers', [
    'src/features/routes/model/bodyReader.ts#BodyReader.constructor',
    'src/features/routes/model/lineCursor.ts#LineCursor.constructor',
    'src/features/routes/model/resolveRequest.ts#resolveTemplate',
  ]),
  ...each('has a time limit', [
    'src/features/jobs/model/schema/jsonLanguage.ts#JsonLanguage.check',
    'src/features/jobs/model/schema/jsonLanguage.ts#JsonLanguage.parse',
    'src/features/logs/fullLog/actions/timedMatcher.ts#TimedMatcher.match',
  ]),
  ...each('receives a prompt or a caption with at most MAX_PROMPT_LENGTH characters, in a thread with a time limit', [
    'src/platform/images/pixels/caption.ts#caption',
    'src/platform/images/prompt/clauses.ts#clausesOf',
  ]),
  ...each('sends the text to a process that counts', ['src/features/chatModels/tokenCounter.ts#TokenCounter.ofText']),
  'src/features/jobs/tests/jobTestTree.ts#rangeIn': 'counts lines up to one offset',
};

/** Functions whose growth another test in `test` measures with worse inputs. */
export const coveredElsewhere: Readonly<Record<string, string>> = {
  'src/features/manifest/model/manifestFile.ts#readManifestFile': 'features/linear.test.ts',
  'src/features/manifest/model/starters/detectHandler.ts#detectHandler': 'features/linear.test.ts',
  'src/features/manifest/model/reading/formatJson.ts#formatJson': 'features/manifest/model/growth.test.ts',
  'src/features/routes/model/parseHttpFile.ts#parseHttpFile': 'features/routes/model/linear.test.ts',
};
