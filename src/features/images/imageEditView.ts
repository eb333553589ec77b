import { IMAGE_EDIT_PRICE_USD, MAX_EMBEDDED_IMAGE_BYTES, MAX_PROMPT_LENGTH } from '../../contract/imageModel.ts';
import { foreign } from '../../text/shownText.ts';
import type {
  ImageEditPicture,
  ImageEditResult,
  ImageEditSetup,
  ImageEditSource,
  ImageEditView,
} from '../../webviews/imageEdit/messages.ts';
import { notConnected } from '../../account/connections/requireConnection.ts';
import { acceptsFiles } from './actions/readSource.ts';
import { failureOf } from './imageEditFailures.ts';
import type { EditConnections, ImageEditState, StoreResult, StoreSource } from './imageEditStore.ts';
import type { EditHistoryItem } from './model/editHistory.ts';
import { EMPTY_FORM } from './model/form.ts';
import type { EditedImage } from './model/imageEdit.ts';
import { SUGGESTIONS } from './model/suggestions.ts';

/** Maximum length of a name or an address on the page, in UTF-16 code units. */
const LONGEST_NAME = 500;

export const IMAGE_EDIT_SETUP: ImageEditSetup = {
  suggestions: SUGGESTIONS,
  maxPrompt: MAX_PROMPT_LENGTH,
  maxFileBytes: MAX_EMBEDDED_IMAGE_BYTES,
  form: EMPTY_FORM,
};

/** Gives an ID to the bytes of each picture, so that the page receives them once. */
export type PictureIds = (bytes: Uint8Array) => string;

/**
 * Returns the content of the page.
 *
 * @param now time of this machine, in ms since the epoch
 */
export function imageEditView(
  state: ImageEditState,
  connections: Pick<EditConnections, 'client' | 'profile'>,
  { history, idOf, now }: { history: readonly EditHistoryItem[]; idOf: PictureIds; now: number },
): ImageEditView {
  const { profile } = connections;
  const { source, sourceError, run, error, result } = state;
  const isLocal = profile?.kind !== 'hosted';
  const failure = notConnected(connections) ?? error;
  return {
    ...(profile && { connection: foreign(profile.name).text }),
    isLocal,
    acceptsFiles: acceptsFiles(isLocal ? 'local' : 'hosted'),
    price: IMAGE_EDIT_PRICE_USD,
    ...(source && { source: sourceView(source, idOf) }),
    ...(sourceError !== undefined && { sourceFailure: failureOf(sourceError) }),
    ...(run && { run }),
    ...(failure !== undefined && { failure: failureOf(failure) }),
    ...(result && { result: resultView(result, idOf, history, error !== undefined) }),
    history: history.map((item) => ({
      id: item.id,
      time: item.time,
      prompt: foreign(item.prompt).text,
      source: foreign(item.sourceName, LONGEST_NAME).text,
      ...(item.thumbnail && { thumbnail: idOf(item.thumbnail) }),
    })),
    now,
  };
}

function sourceView({ source, name, image, error, ...rest }: StoreSource, idOf: PictureIds): ImageEditSource {
  return {
    kind: source.kind,
    name: foreign(name, LONGEST_NAME).text,
    ...(image && { picture: pictureView(image, idOf) }),
    isLoading: rest.isLoading,
    ...(error !== undefined && { failure: failureOf(error) }),
    ...(rest.kept && { kept: rest.kept }),
  };
}

function resultView(
  { edit, source, image, error, savedAs }: StoreResult,
  idOf: PictureIds,
  history: readonly EditHistoryItem[],
  isEarlier: boolean,
): ImageEditResult {
  const stored = history.find(({ id }) => id === edit.id);
  const { cost, delayTime, executionTime, workerId, parameters, expiresAt } = edit;
  return {
    id: foreign(edit.id).text,
    editId: edit.id,
    lacksThumbnail: stored !== undefined && stored.thumbnail === undefined,
    isEarlier,
    source: foreign(source.name, LONGEST_NAME).text,
    ...(source.image && { before: pictureView(source.image, idOf) }),
    ...(image && { after: pictureView(image, idOf) }),
    ...(error !== undefined && { failure: failureOf(error) }),
    prompt: foreign(parameters.prompt).text,
    seed: parameters.seed,
    cost,
    delayTime,
    executionTime,
    ...(workerId !== undefined && { workerId: foreign(workerId).text }),
    url: foreign(edit.url, LONGEST_NAME).text,
    expiresAt,
    ...(savedAs !== undefined && { savedAs: foreign(fileName(savedAs)).text }),
  };
}

function pictureView({ bytes, width, height }: EditedImage, idOf: PictureIds): ImageEditPicture {
  return { id: idOf(bytes), width, height, bytes: bytes.length };
}

function fileName(uri: string): string {
  const name = uri.split('/').at(-1) ?? uri;
  try {
    return decodeURIComponent(name);
  } catch {
    return name;
  }
}
