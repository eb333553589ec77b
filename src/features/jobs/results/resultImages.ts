import { imageDimensionsFromData } from 'image-dimensions';
import { dataSize } from '../../../text/quantities.ts';
import { pathOf, type Path, type Place } from './jsonPieces.ts';
import { MAX_MARKS } from './resultText.ts';

/** An image in the output of a job: its content, or its address. */
export type ResultImage = EmbeddedImage | RemoteImage;

export interface EmbeddedImage {
  readonly kind: 'embedded';
  /** Path in the output, such as `["images", 0]`. */
  readonly path: Path;
  readonly base64: string;
  /** Extension of a file with the image, without the dot. */
  readonly extension: string;
  readonly bytes: number;
  /** Undefined for an unknown format, and for an incomplete file. */
  readonly size: { readonly width: number; readonly height: number } | undefined;
}

export interface RemoteImage {
  readonly kind: 'remote';
  readonly path: Path;
  readonly url: string;
}

const MAX_VALUES = 200_000;
/** Base64 characters that are decoded to read the dimensions. JPEG files can have a preview before them. */
const HEADER_CHARACTERS = 256 * 1024;
const MIN_BARE_CHARACTERS = 64;

const DATA_URL = /^data:image\/([a-z0-9.+-]{1,40})(?:;[a-z0-9-]+=[^;,]{0,100})?;base64,/i;
/** Beginning of the base64 text of a PNG, JPEG, GIF, or WebP file. */
const BARE = /^(?:iVBORw0KGgo|\/9j\/|R0lGOD|UklGR)/;
const IMAGE_PATH = /\.(?:png|jpe?g|gif|webp|avif|bmp|svg)$/i;
const EXTENSIONS: Readonly<Record<string, string>> = { jpeg: 'jpg', 'svg+xml': 'svg', 'x-icon': 'ico' };
/** Formats that the editor's image preview can show. */
const SHOWN = ['png', 'jpg', 'gif', 'webp', 'avif', 'bmp', 'svg', 'ico'];

/** Returns the images in an output, in the order of the output. */
export function imagesIn(output: unknown): readonly ResultImage[] {
  const images: ResultImage[] = [];
  const open: { readonly value: unknown; readonly place: Place | undefined }[] = [{ value: output, place: undefined }];
  for (let seen = 0; seen < MAX_VALUES && images.length < MAX_MARKS; seen++) {
    const next = open.pop();
    if (!next) break;
    const { value, place } = next;
    if (typeof value === 'string') {
      const image = imageOf(value, place);
      if (image) images.push(image);
    } else if (typeof value === 'object' && value !== null) {
      const isList = Array.isArray(value);
      const members = Object.entries(value).slice(0, MAX_VALUES);
      // The last value is taken first.
      for (const [name, content] of members.reverse())
        open.push({ value: content, place: { name: isList ? Number(name) : name, parent: place } });
    }
  }
  return images;
}

/** Returns the image that a string contains or refers to. */
export function imageOf(value: string, place: Place | undefined): ResultImage | undefined {
  const subtype = DATA_URL.exec(value.slice(0, 200));
  if (subtype) return embedded(value.slice(subtype[0].length), place, subtype[1]?.toLowerCase());
  if (value.length >= MIN_BARE_CHARACTERS && BARE.test(value)) {
    const image = embedded(value, place, undefined);
    return image?.size && image;
  }
  return isImageAddress(value, place) ? { kind: 'remote', path: pathOf(place), url: value } : undefined;
}

function embedded(base64: string, place: Place | undefined, subtype: string | undefined): EmbeddedImage | undefined {
  const size = imageDimensionsFromData(Buffer.from(base64.slice(0, HEADER_CHARACTERS), 'base64'));
  const extension = extensionOf(size?.type ?? subtype ?? '');
  if (!SHOWN.includes(extension)) return undefined;
  const bytes = Buffer.byteLength(base64, 'base64');
  return { kind: 'embedded', path: pathOf(place), base64, extension, bytes, size };
}

const extensionOf = (subtype: string) => EXTENSIONS[subtype] ?? subtype;

/** Returns whether a string is the address of an image: by the extension of its path, or by the name `image_url`. */
function isImageAddress(value: string, place: Place | undefined): boolean {
  if (value.length > 4_000 || !/^https?:\/\//i.test(value)) return false;
  const url = URL.parse(value);
  if (!url) return false;
  return IMAGE_PATH.test(url.pathname) || [place?.name, place?.parent?.name].includes('image_url');
}

const FORMATS: Readonly<Record<string, string>> = { jpg: 'JPEG', webp: 'WebP' };

/** Describes an image, such as `PNG, 640×480, 120 KB` or the host of its address. */
export function imageWords(image: ResultImage): string {
  if (image.kind === 'remote') return new URL(image.url).host;
  const { size, extension, bytes } = image;
  const dimensions = size ? [`${size.width}×${size.height}`] : [];
  return [FORMATS[extension] ?? extension.toUpperCase(), ...dimensions, dataSize(bytes)].join(', ');
}
