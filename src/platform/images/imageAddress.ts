import { ImageOutput } from '../../contract/imageEdit.ts';

/* Where edited images are served: a path on the platform's own origin, below it a name that cannot be guessed. */

export const IMAGES_PATH = '/images/';

export const imagePath = (name: string): string => IMAGES_PATH + name;

/**
 * The name of the image that an address on the platform itself stands for, '' when it stands for something else there; undefined for
 * an address elsewhere.
 */
export function ownImageName(address: string, origin: string): string | undefined {
  const [url, own] = [URL.parse(address), new URL(origin)];
  if (url?.protocol !== own.protocol || url.port !== own.port) return undefined;
  const { hostname, pathname } = url;
  if (![own.hostname, 'localhost'].includes(hostname) && !hostname.endsWith('.localhost')) return undefined;
  return pathname.startsWith(IMAGES_PATH) ? pathname.slice(IMAGES_PATH.length) : '';
}

/** The output of a finished edit with its image at this origin; undefined when it is none. */
export function outputAt(origin: string, output: unknown): ImageOutput | undefined {
  const made = ImageOutput.safeParse(output).data;
  const url = made && URL.parse(made.image_url);
  return url ? { ...made, image_url: origin + url.pathname } : undefined;
}
