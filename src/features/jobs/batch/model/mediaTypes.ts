/** Media types of files that become data URLs, by the ending of the name. */
const MEDIA_TYPES: Readonly<Record<string, string>> = {
  ...{ png: 'image/png', jpg: 'image/jpeg', jpeg: 'image/jpeg', gif: 'image/gif', webp: 'image/webp' },
  ...{ bmp: 'image/bmp', tif: 'image/tiff', tiff: 'image/tiff', svg: 'image/svg+xml', avif: 'image/avif' },
  ...{ mp3: 'audio/mpeg', wav: 'audio/wav', flac: 'audio/flac', ogg: 'audio/ogg', m4a: 'audio/mp4' },
  ...{ mp4: 'video/mp4', webm: 'video/webm', mov: 'video/quicktime' },
  ...{ txt: 'text/plain', md: 'text/markdown', csv: 'text/csv', html: 'text/html', pdf: 'application/pdf' },
};

/** Returns the media type of a file with this name. Default: a stream of bytes. */
export function mediaTypeOf(name: string): string {
  return MEDIA_TYPES[name.slice(name.lastIndexOf('.') + 1).toLowerCase()] ?? 'application/octet-stream';
}
