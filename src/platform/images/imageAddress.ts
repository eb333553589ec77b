import { ImageOutput } from '../../contract/imageEdit.ts';

/* URLs of edited images: a path on the platform's origin, followed by a name that cannot be guessed. */

export const IMAGES_PATH = '/images/';

/** Returns the name of the image at a URL of this platform, '' for its other resources, or undefined for another origin. */
export function ownImageName(address: string, origin: string): string | undefined {
  const [url, own] = [URL.parse(address), new URL(origin)];
  if (url?.protocol !== own.protocol || url.port !== own.port) return undefined;
  if (url.hostname !== own.hostname && !/^(.*\.)?localhost$/.test(url.hostname)) return undefined;
  return url.pathname.startsWith(IMAGES_PATH) ? url.pathname.slice(IMAGES_PATH.length) : '';
}

/** Returns the output of a finished edit with its image URL at this origin, or undefined if `output` has another shape. */
export function outputAt(origin: string, output: unknown): ImageOutput | undefined {
  const made = ImageOutput.safeParse(output).data;
  const url = made && URL.parse(made.image_url);
  return url ? { ...made, image_url: origin + url.pathname } : undefined;
}
