import type { ImageFormat } from '../../contract/imageEdit.ts';

/* Messages between the editor and the page of the image editor. Each side validates what it receives. Times are in ms since the epoch. */

/** Parameters as the page shows them. */
export interface ImageEditForm {
  readonly prompt: string;
  readonly negativePrompt: string;
  /** `random` chooses another seed for each edit, and `service` sends none. */
  readonly seedMode: 'random' | 'fixed' | 'service';
  /** The seed as text, which can be invalid. */
  readonly seed: string;
  /** Undefined: the default of the service. */
  readonly format?: ImageFormat | undefined;
  /** Undefined: the default of the service. */
  readonly safetyChecker?: boolean | undefined;
}

/** Fields that an error refers to. */
export type ImageEditField = 'image' | 'prompt' | 'negativePrompt' | 'seed' | 'safetyChecker';

/** Commands that the page can request from the editor. */
export type ImageEditAction = 'startLocalPlatform' | 'switchConnection' | 'replaceKey' | 'showLog';

export interface ImageEditFailure {
  readonly message: string;
  /** What to change, one sentence each. */
  readonly advice: readonly string[];
  /** Fields to change. */
  readonly fields: readonly ImageEditField[];
  /** Whether the same edit can succeed later. */
  readonly retry: boolean;
  readonly remedy?: { readonly label: string; readonly action: ImageEditAction } | undefined;
  /** ID of the failed job. */
  readonly jobId?: string | undefined;
}

/** A picture whose bytes are in a message of their own. */
export interface ImageEditPicture {
  /** Identifies the bytes. */
  readonly id: string;
  readonly width: number;
  readonly height: number;
  /** Size of the file, in bytes. */
  readonly bytes: number;
}

export interface ImageEditSource {
  readonly kind: 'file' | 'url' | 'result';
  /** Name of the file, or the address. */
  readonly name: string;
  /** Undefined while the image at an address has not been loaded. */
  readonly picture?: ImageEditPicture | undefined;
  /** Whether the image at the address is being loaded. */
  readonly isLoading: boolean;
  /** Why the image at the address could not be loaded. The edit can still succeed. */
  readonly failure?: ImageEditFailure | undefined;
  /** Identifies the source after a reload. Undefined for bytes, such as a pasted image. */
  readonly kept?: ImageEditKeptSource | undefined;
}

export type ImageEditKeptSource =
  { readonly kind: 'file'; readonly uri: string } | { readonly kind: 'url'; readonly url: string };

/** Phases of an edit. `starting` lasts until the platform has accepted the job, and `waiting` is its wait for a rate limit. */
export type ImageEditPhase = 'starting' | 'waiting' | 'queued' | 'running' | 'loading' | 'canceling';

export interface ImageEditResult {
  /** ID of the request, for people. */
  readonly id: string;
  /** ID of the edit in the history. */
  readonly editId: string;
  /** Whether the edit is in the history without a thumbnail, which the page can draw. */
  readonly lacksThumbnail: boolean;
  /** Whether a later edit failed. */
  readonly isEarlier: boolean;
  /** Name of the source. */
  readonly source: string;
  /** The source image, if the editor has it. */
  readonly before?: ImageEditPicture | undefined;
  /** The edited image, once it is loaded. */
  readonly after?: ImageEditPicture | undefined;
  /** Why the edited image could not be loaded. */
  readonly failure?: ImageEditFailure | undefined;
  readonly prompt: string;
  readonly seed?: number | undefined;
  /** Cost in USD, if the service reported it. */
  readonly cost?: number | undefined;
  readonly delayTime?: number | undefined;
  readonly executionTime?: number | undefined;
  readonly workerId?: string | undefined;
  readonly url: string;
  /** Latest time at which the address expires. */
  readonly expiresAt: number;
  /** Name of the file that the image was saved to. */
  readonly savedAs?: string | undefined;
}

export interface ImageEditHistoryEntry {
  readonly id: string;
  readonly time: number;
  readonly prompt: string;
  readonly source: string;
  /** Identifies the bytes of the thumbnail. */
  readonly thumbnail?: string | undefined;
}

/** Content of the page, without the bytes of pictures. */
export interface ImageEditView {
  /** Name of the connection that edits the images. */
  readonly connection?: string | undefined;
  /** Whether the platform runs on this machine, understands the suggestions, and bills nothing. */
  readonly isLocal: boolean;
  /** Whether the platform accepts files. Other platforms accept only addresses. */
  readonly acceptsFiles: boolean;
  /** Price of an edit in USD. */
  readonly price: number;
  readonly source?: ImageEditSource | undefined;
  /** Why a file or an address is not the source. */
  readonly sourceFailure?: ImageEditFailure | undefined;
  readonly run?: { readonly phase: ImageEditPhase; readonly since: number } | undefined;
  readonly failure?: ImageEditFailure | undefined;
  readonly result?: ImageEditResult | undefined;
  readonly history: readonly ImageEditHistoryEntry[];
  /** Time of the editor, because the page can run on another machine. */
  readonly now: number;
}

export interface ImageEditSuggestion {
  /** Name of the instruction. */
  readonly label: string;
  readonly prompt: string;
  /** Values that the instruction takes. */
  readonly takes: string;
}

/** Facts that do not change while the page is open. */
export interface ImageEditSetup {
  readonly suggestions: readonly ImageEditSuggestion[];
  /** Maximum length of a prompt, in UTF-16 code units. */
  readonly maxPrompt: number;
  /** Maximum size of an image file, in bytes. */
  readonly maxFileBytes: number;
  /** Form of a page that has kept none. */
  readonly form: ImageEditForm;
}

export type ImageEditToWebview =
  | { readonly type: 'setup'; readonly setup: ImageEditSetup }
  | { readonly type: 'view'; readonly view: ImageEditView }
  /** Replaces the form, for example with the parameters of an earlier edit. */
  | { readonly type: 'form'; readonly form: ImageEditForm }
  /** Bytes of a picture or a thumbnail that a view refers to. */
  | { readonly type: 'picture'; readonly id: string; readonly mediaType: string; readonly bytes: Uint8Array };

export type ImageEditToHost =
  /** The page is loaded and can receive messages. */
  | { readonly type: 'ready' }
  | { readonly type: 'chooseFile' }
  | { readonly type: 'sourceUrl'; readonly url: string }
  /** A file that was dropped from the editor. */
  | { readonly type: 'sourceUri'; readonly uri: string }
  /** A file that was dropped from another program, or pasted. */
  | { readonly type: 'sourceBytes'; readonly name: string; readonly bytes: Uint8Array }
  /** A file that is too large for a message, with its size in bytes. */
  | { readonly type: 'sourceTooLarge'; readonly bytes: number }
  | { readonly type: 'removeSource' }
  /** Loads the image at the address of the source. */
  | { readonly type: 'loadSource' }
  | { readonly type: 'run'; readonly form: ImageEditForm }
  | { readonly type: 'cancel' }
  | { readonly type: 'loadResult' | 'save' | 'editAgain' | 'openResult' }
  | { readonly type: 'copy'; readonly what: 'url' | 'requestId' }
  | { readonly type: 'openEdit' | 'removeEdit'; readonly id: string }
  /** A small version of the shown result, as the bytes of a PNG file. */
  | { readonly type: 'thumbnail'; readonly id: string; readonly bytes: Uint8Array }
  | { readonly type: 'act'; readonly action: ImageEditAction };

/** How the page compares the source with the result. */
export type ImageEditLayout = 'sideBySide' | 'slider';

/** State that the editor keeps for the page while it is hidden and when the window is reloaded. */
export interface ImageEditPageState {
  readonly form: ImageEditForm;
  readonly source?: ImageEditKeptSource | undefined;
  /** ID of the shown result in the history. */
  readonly result?: string | undefined;
  readonly layout: ImageEditLayout;
}
