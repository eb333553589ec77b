import type { EditedImage, FinishedEdit, SentParameters } from '../../../src/features/images/model/imageEdit.ts';
import type { EditHistoryItem } from '../../../src/features/images/model/editHistory.ts';
import type { ImageEditState, StoreSource } from '../../../src/features/images/imageEditStore.ts';
import { imageEditView, IMAGE_EDIT_SETUP } from '../../../src/features/images/imageEditView.ts';
import { PictureRegister } from '../../../src/features/images/pictureRegister.ts';
import { EMPTY_FORM } from '../../../src/features/images/model/form.ts';
import { edit } from '../../../src/platform/images/imageThread.ts';
import { gradient, pngOf } from '../../platform/images/support.ts';
import type { WebviewPage } from '../webviewPage.ts';

/* States of the image editor, as the editor sends them to the page. */

export const NOW = Date.parse('2025-11-21T14:30:00Z');

const parameters: SentParameters = {
  prompt: 'make it black and white',
  negativePrompt: '',
  seed: 1234,
  format: 'png',
  safetyChecker: true,
};

export function imageOf(bytes: Uint8Array, width: number, height: number): EditedImage {
  return { bytes: new Uint8Array(bytes), mediaType: 'image/png', width, height };
}

const WIDTH = 120;
const HEIGHT = 80;
export const before = imageOf(pngOf(gradient(WIDTH, HEIGHT)), WIDTH, HEIGHT);
/** The image after an edit with the model of the local platform. */
const after = imageOf(
  edit({ image: before.bytes, prompt: parameters.prompt, negativePrompt: undefined, seed: 1, format: 'png' }),
  WIDTH,
  HEIGHT,
);

export const finished: FinishedEdit = {
  id: 'sync-1234',
  parameters,
  url: 'http://127.0.0.1:8400/images/abc.png',
  expiresAt: NOW + 7 * 24 * 3_600_000,
  cost: 0.02,
  delayTime: 12,
  executionTime: 1_400,
  workerId: 'worker12345678',
};

const common = { isLoading: false } as const;

export const fileSource: StoreSource = {
  ...common,
  source: { kind: 'file', name: 'photos/harbor.png', bytes: before.bytes, mediaType: before.mediaType },
  name: 'photos/harbor.png',
  image: before,
  kept: { kind: 'file', uri: 'file:///folder/photos/harbor.png' },
};

const address = 'https://example.com/photos/harbor.png';
export const urlSource: StoreSource = {
  ...common,
  source: { kind: 'url', url: address },
  name: address,
  kept: { kind: 'url', url: address },
};

export const edited: ImageEditState = {
  source: fileSource,
  result: { edit: finished, source: fileSource, image: after },
};

const LOCAL = { client: {} as never, profile: { id: 'local', kind: 'local', name: 'Local Platform' } as never };
export const HOSTED = { client: {} as never, profile: { id: 'h', kind: 'hosted', name: 'api.example.com' } as never };
export const NONE = { client: undefined, profile: undefined };

export const history: readonly EditHistoryItem[] = [
  {
    id: 'sync-1',
    time: NOW - 60_000,
    prompt: parameters.prompt,
    sourceName: 'photos/harbor.png',
    resultPath: '/storage/sync-1.png',
    thumbnail: after.bytes,
  },
  {
    id: 'sync-2',
    time: NOW - 120_000,
    prompt: 'rotate it by 90 degrees to the left, make it much brighter, and blur it by 12 px',
    sourceName: 'photos/a-long-name-of-an-image-of-the-harbor.png',
    resultPath: '/storage/sync-2.png',
    thumbnail: undefined,
  },
];

export interface Shown {
  readonly state?: ImageEditState;
  readonly connection?: Parameters<typeof imageEditView>[1];
  readonly history?: readonly EditHistoryItem[];
  readonly form?: Partial<typeof EMPTY_FORM>;
}

/** Returns a function that sends states to a page, as the panel does. */
export function sender({ receive }: Pick<WebviewPage, 'receive'>): (shown: Shown) => Promise<void> {
  const register = new PictureRegister();
  let isFirst = true;
  return async ({ state = {}, connection = LOCAL, history: items = [], form }) => {
    if (isFirst) await receive({ type: 'setup', setup: IMAGE_EDIT_SETUP });
    if (form) await receive({ type: 'form', form: { ...EMPTY_FORM, ...form } });
    isFirst = false;
    const idOf = (bytes: Uint8Array) => register.idOf(bytes);
    const view = imageEditView(state, connection, { history: items, idOf, now: NOW });
    const images = [state.source?.image, state.result?.source.image, state.result?.image];
    const thumbnails = items.map(({ thumbnail: bytes }) => bytes && ({ bytes, mediaType: 'image/png' } as const));
    for (const picture of register.unsent([...images, ...thumbnails])) await receive({ type: 'picture', ...picture });
    await receive({ type: 'view', view });
  };
}
