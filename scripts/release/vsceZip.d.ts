/** The part of vsce that reads VSIX files. Its package does not declare it. */
declare module '@vscode/vsce/out/zip.js' {
  /** Resolves with the contents of the files whose names, in lower case, satisfy the filter. */
  export function readZip(file: string, filter: (name: string) => boolean): Promise<Map<string, Buffer>>;
}
