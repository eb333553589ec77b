/* Functions that receive a text and other values, and the reasons why they are not called. */

function each(reason: string, ids: readonly string[]): Record<string, string> {
  return Object.fromEntries(ids.map((id) => [id, reason]));
}

/** Functions that are not called, with the reason. */
export const notRead: Readonly<Record<string, string>> = {
  ...each('receives the metrics of one bucket, which have at most a few kilobytes', [
    'src/platform/domain/bytes.ts#ByteReader.constructor',
    'src/platform/domain/bytes.ts#ByteWriter.bytes',
    'src/platform/domain/measured.ts#Measured.decode',
  ]),
  ...each('receives the path of a file, and reads the manifests of folders', [
    'src/cli/connection/endpointNamed.ts#endpointBeside',
  ]),
  ...each('receives the path of a file, which has at most 1,024 characters', [
    'src/agents/actions/readVolume.ts#readVolume',
    'src/platform/files/volumeFiles.ts#VolumeFiles.createFrom',
  ]),
  ...each('compares a token with a word of the code', [
    'src/features/jobs/model/declared/expressions.ts#ExpressionReader.is',
  ]),
  ...each('writes, stores, or passes on the text, and does not read it', [
    'src/agents/actions/callTool.ts#refusedOutcome',
    'src/features/gate/model/recordedValue.ts#ValueRecorder.hidden',
    'src/platform/files/s3Failure.ts#s3ErrorBody',
    'src/platform/http/bodyThread.ts#BodyThread.request',
    'src/platform/http/bodyThread.ts#BodyThread.result',
    'src/features/requests/chatModels/actions/countTokens.ts#countTokens',
    'src/features/manifest/editing/saveEdit.ts#saveEdit',
    'src/features/images/history/actions/editFiles.ts#EditFiles.addThumbnail',
    'src/features/images/history/actions/writeInside.ts#writeInside',
    'src/features/images/history/editStorage.ts#EditHistoryStore.addThumbnail',
    'src/features/images/imageEditStore.ts#ImageEditStore.setUrl',
    'src/features/images/pictureRegister.ts#PictureRegister.idOf',
    'src/features/jobs/batch/batchFiles.ts#AppendedFile.append',
    'src/features/jobs/jobFiles.ts#openDraft',
    'src/features/logs/colors/lineColors.ts#LineColors.remember',
    'src/features/logs/colors/lineColors.ts#LineColors.spansOf',
    'src/features/requests/language/openRequests.ts#openNewHttpFile',
    'src/features/requests/send/exchange.ts#Exchange.receive',
    'src/features/requests/sockets/frameLog.ts#FrameLog.event',
    'src/kit/documents/documentShell.ts#DocumentShell.writeFile',
    'src/kit/documents/documents.ts#Documents.writeFile',
    'src/platform/balancer/forwardedRequest.ts#ForwardedRequest.onResponseData',
    'src/contract/s3/xml.ts#XmlProblem.constructor',
    'src/platform/files/objectRecords.ts#writeDurably',
    'src/platform/files/uploads.ts#writeAll',
    'src/platform/logs/logBuffer.ts#LogBuffer.add',
    'src/kit/testing.ts#appendTestOutput',
    'src/features/volumes/volumeFileSystem.ts#VolumeFileSystem.writeFile',
    'src/platform/runtimes/execStreams.ts#ExecOutputs.write',
  ]),
  ...each('receives text that a person types or chooses', [
    'src/features/volumes/volumeCommands.ts#sizeProblem',
    'src/features/local/firstSteps/actions/copySample.ts#copySample',
    'src/features/local/firstSteps/actions/copySample.ts#folderState',
    'src/features/local/firstSteps/actions/copySample.ts#sampleFolderIn',
  ]),
  ...each('is a step of readManifestFile, completionsAt, or an edit, whose manifests have at most 64 KiB', [
    'src/features/manifest/actions/updateEndpoint.ts#readEdit',
    'src/features/manifest/catalog/referenceLookup.ts#ReferenceLookup.unwatch',
    'src/features/manifest/catalog/referenceLookup.ts#ReferenceLookup.watch',
    'src/features/manifest/deployed/pullIntoDocument.ts#writeChanges',
    'src/features/manifest/model/completion/sketch.ts#writingAt',
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
    'src/features/manifest/model/editing/yamlLayout.ts#styleOf',
    'src/features/manifest/model/editing/yamlText.ts#quoted',
    'src/features/manifest/model/problem.ts#firstLine',
    'src/features/manifest/model/problem.ts#visible',
    'src/features/manifest/model/starters/section.ts#nameSpan',
    'src/text/suggestion.ts#withSuggestion',
    'src/features/manifest/model/text/locate.ts#extentOf',
    'src/features/manifest/model/text/locate.ts#memberExtent',
    'src/features/manifest/model/text/locate.ts#partExtent',
    'src/features/manifest/model/text/locate.ts#withoutQuotes',
    'src/features/manifest/model/text/locate.ts#locate',
    'src/features/manifest/model/text/parse.ts#parseManifestFile',
    'src/features/manifest/model/text/parseYaml.ts#parseDocuments',
    'src/features/manifest/model/text/parseYaml.ts#parseYaml',
    'src/features/manifest/model/text/yamlTree.ts#yamlTree',
  ]),
  ...each('is a step of parseHttpFile or resolveRequest, which test/features/requests/model/linear.test.ts covers', [
    'src/features/requests/model/bodyReader.ts#BodyReader.constructor',
    'src/features/requests/model/lineSyntax.ts#LineCursor.constructor',
    'src/features/requests/model/resolveRequest.ts#resolveTemplate',
  ]),
  ...each('receives the text of a template', ['src/features/manifest/ci/model/ciSetup.ts#indented']),
  ...each('has a time limit', [
    'src/features/jobs/model/schema/jsonLanguage.ts#JsonLanguage.check',
    'src/features/jobs/model/schema/jsonLanguage.ts#JsonLanguage.parse',
    'src/features/logs/fullLog/actions/timedMatcher.ts#TimedMatcher.match',
  ]),
  ...each('sends the text to a process that counts', [
    'src/features/requests/chatModels/tokenCounter.ts#TokenCounter.ofText',
  ]),
  'src/features/jobs/tests/jobTestTree.ts#rangeIn': 'counts lines up to one offset',
};

/** Functions whose growth another test in `test` measures with worse inputs. */
export const coveredElsewhere: Readonly<Record<string, string>> = {
  'src/features/manifest/model/manifestFile.ts#readManifestFile': 'features/linear.test.ts',
  'src/features/manifest/model/starters/detectHandler.ts#detectHandler': 'features/linear.test.ts',
  'src/text/formatJson.ts#formatJson': 'features/manifest/model/growth.test.ts',
  'src/features/requests/model/parseHttpFile.ts#parseHttpFile': 'features/requests/model/linear.test.ts',
};
