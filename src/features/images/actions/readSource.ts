import * as l10n from '@vscode/l10n';
import { imageDimensionsFromData } from 'image-dimensions';
import { MAX_EMBEDDED_IMAGE_BYTES, MAX_IMAGE_PIXELS } from '../../../contract/imageModel.ts';
import { isReadable, kindOf } from '../../../machine/images/kind.ts';
import { dataSize } from '../../../text/quantities.ts';
import { UserError } from '../../../kit/userError.ts';
import type { EditSource } from '../model/imageEdit.ts';

/**
 * Reason why an image cannot be edited.
 *
 * - `missing`: there is no image.
 * - `address`: the text is no address of a web server.
 * - `needsAddress`: the platform edits only images at public addresses.
 * - `empty`: the file has no bytes.
 * - `format`: it is not a PNG or JPEG file.
 * - `damaged`: its header contains no size.
 * - `tooLarge`: the file has too many bytes.
 * - `tooManyPixels`: the picture has too many pixels.
 * - `notLoaded`: its bytes are not known.
 */
export type SourceProblemCode =
  'missing' | 'address' | 'needsAddress' | 'empty' | 'format' | 'damaged' | 'tooLarge' | 'tooManyPixels' | 'notLoaded';

/** An image that cannot be edited. The message consists of complete sentences. */
export class SourceError extends UserError {
  readonly code: SourceProblemCode;

  constructor(code: SourceProblemCode, message: string) {
    super(message);
    this.name = 'SourceError';
    this.code = code;
  }
}

/** An image file that can be edited. */
export interface SourceImage {
  readonly source: Extract<EditSource, { kind: 'file' }>;
  /** Size in pixels, before a rotation that the file itself demands. */
  readonly width: number;
  readonly height: number;
}

const MEDIA_TYPES = { PNG: 'image/png', JPEG: 'image/jpeg' } as const;

/** Returns whether a platform edits files. Hosted platforms edit only images at public addresses. */
export function acceptsFiles(kind: 'local' | 'hosted'): boolean {
  return kind === 'local';
}

/**
 * Checks an image file by its content, because the extension of a file name can be wrong. Reads only its header.
 *
 * @param name path relative to the workspace folder, or absolute path
 * @throws SourceError if the file cannot be edited
 */
export function readImageFile(bytes: Uint8Array, name: string): SourceImage {
  if (bytes.length === 0) throw new SourceError('empty', l10n.t('The file is empty.'));
  const kind = kindOf(bytes);
  if (!isReadable(kind)) throw new SourceError('format', formatSentence(kind));
  if (bytes.length > MAX_EMBEDDED_IMAGE_BYTES) throw tooLarge(bytes.length);
  const size = sizeOf(bytes);
  if (!size || size.width * size.height === 0) {
    throw new SourceError('damaged', l10n.t`The ${kind} file is damaged.`);
  }
  const { width, height } = size;
  if (width * height > MAX_IMAGE_PIXELS) {
    const limit = l10n.t`the limit is ${MAX_IMAGE_PIXELS / 1e6} megapixels`;
    throw new SourceError(
      'tooManyPixels',
      l10n.t`The image has ${width} × ${height} pixels, and ${limit}. Save a smaller version.`,
    );
  }
  const source = { kind: 'file', name, bytes, mediaType: MEDIA_TYPES[kind] } as const;
  return { source, width, height };
}

/** Returns the error for a file with that many bytes, which need not be read. */
export function tooLarge(bytes: number): SourceError {
  const sizes = l10n.t`${dataSize(bytes)}, and the limit is ${dataSize(MAX_EMBEDDED_IMAGE_BYTES)}`;
  return new SourceError('tooLarge', l10n.t`The file has ${sizes}. Save a smaller version.`);
}

function formatSentence(kind: string | undefined): string {
  const supported = l10n.t('Use PNG or JPEG.');
  return kind === undefined ? l10n.t`The format is unknown. ${supported}` : l10n.t`The file is ${kind}. ${supported}`;
}

/** Returns the size in the header, or undefined if the header is damaged. */
function sizeOf(bytes: Uint8Array): { readonly width: number; readonly height: number } | undefined {
  try {
    return imageDimensionsFromData(bytes);
  } catch {
    return undefined;
  }
}
