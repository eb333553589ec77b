/* Names of saved images. */

/** Maximum length of the part of a name that comes from its source, in UTF-16 code units. */
const MAX_LENGTH = 100;
/** Characters that file systems or shells do not allow in names, and invisible characters. */
const FORBIDDEN = /[<>:"/\\|?*\p{Cc}\p{Cf}\u2028\u2029]+/gu;
/** Names of devices on Windows, with any extension. */
const DEVICE = /^(con|prn|aux|nul|com[0-9]|lpt[0-9])\./i;

/**
 * Returns the names to try for an edited image, in order: `cat-edited-1.png`, `cat-edited-2.png`, and so on.
 *
 * @param source name of the source, with or without a folder and an extension
 * @param extension extension of the file, without the dot
 */
export function* fileNames(source: string, extension: string): Generator<string, never> {
  const name = safeName(source);
  for (let index = 1; ; index++) yield `${name}-edited-${index}.${extension}`;
}

/** Returns the name of a file without its folder and extension. It is valid on all operating systems. */
function safeName(source: string): string {
  const file = source.split(/[/\\]/).at(-1) ?? '';
  const name = file
    .replace(/(?<=.)\.[A-Za-z0-9]{1,5}$/, '')
    .slice(0, MAX_LENGTH)
    .toWellFormed()
    .replaceAll(FORBIDDEN, '-')
    .replace(/^[.\s]+/, '');
  return DEVICE.test(name) ? `_${name}` : name || 'image';
}

/** Returns the segments of a folder relative to the workspace folder, or undefined if it could be outside of it. */
export function folderSegments(folder: string): readonly string[] | undefined {
  if (/^([/\\]|[A-Za-z]:)/.test(folder) || folder.includes('\0')) return undefined;
  const segments = folder.split(/[/\\]/).filter((segment) => segment !== '' && segment !== '.');
  return segments.some((segment) => segment.trim() === '..' || /^\.+\s*$/.test(segment)) ? undefined : segments;
}

/**
 * Returns the workspace folders that can contain a source, and its path in each of them. The most likely place comes first. In a workspace
 * with several folders, the editor begins the name of a file with the name of its folder.
 *
 * @param source path with `/`, relative to a workspace folder or preceded by its name
 */
export function sourcePlaces<Folder extends { readonly name: string }>(
  source: string,
  folders: readonly Folder[],
): readonly (readonly [folder: Folder, path: string])[] {
  const named = folders.filter(({ name }) => folders.length > 1 && source.startsWith(`${name}/`));
  return [
    ...named.map((folder) => [folder, source.slice(folder.name.length + 1)] as const),
    ...folders.map((folder) => [folder, source] as const),
  ];
}
