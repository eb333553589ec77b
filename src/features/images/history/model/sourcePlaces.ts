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
