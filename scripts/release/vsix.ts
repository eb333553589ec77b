import { stat } from 'node:fs/promises';
import { listFiles, PackageManager } from '@vscode/vsce';
import { readZip } from '@vscode/vsce/out/zip.js';

/** Maximum size of the VSIX file, in bytes: 1.75 MB as vsce counts, with 1,024 bytes in a kilobyte. */
export const MAX_VSIX_BYTES = Math.floor(1.75 * 1024 * 1024);

/** Files that every VSIX contains in addition to those of the extension. */
const ENVELOPE = ['[content_types].xml', 'extension.vsixmanifest'];
const FOLDER = 'extension/';

export interface VsixContents {
  readonly bytes: number;
  /** Paths in the file, in lower case. */
  readonly files: readonly string[];
  /** Version in its package.json. */
  readonly version: string | undefined;
}

/** Reads a VSIX file. Rejects if it is not one. */
export async function readVsix(file: string): Promise<VsixContents> {
  const entries = await readZip(file, () => true);
  const manifest = JSON.parse(entries.get(`${FOLDER}package.json`)?.toString() ?? '{}') as { version?: string };
  return { bytes: (await stat(file)).size, files: [...entries.keys()], version: manifest.version };
}

/** What a VSIX file must contain. */
export interface VsixRules {
  readonly version: string;
  /** Paths of the extension's files. */
  readonly files: readonly string[];
}

/** Resolves with the rules for the VSIX of a repository. Its `.vscodeignore` is an allow-list of the files. */
export async function vsixRules(folder: string, version: string): Promise<VsixRules> {
  return { version, files: await listFiles({ cwd: folder, packageManager: PackageManager.None }) };
}

/** Returns the reasons why a VSIX file must not be released. */
export function vsixProblems(vsix: VsixContents, rules: VsixRules): string[] {
  const expected = new Set([...ENVELOPE, ...rules.files.map((file) => nameInVsix(file))]);
  const problems: string[] = [];
  if (vsix.bytes > MAX_VSIX_BYTES)
    problems.push(`The VSIX has ${vsix.bytes} bytes, and the maximum is ${MAX_VSIX_BYTES}.`);
  if (vsix.version !== rules.version)
    problems.push(`The VSIX has version ${vsix.version ?? 'none'}, and package.json has ${rules.version}.`);
  const present = new Set(vsix.files);
  const extra = vsix.files.filter((file) => !expected.has(file));
  const missing = [...expected].filter((file) => !present.has(file));
  if (extra.length > 0)
    problems.push(`The VSIX contains files that .vscodeignore does not allow: ${extra.join(', ')}.`);
  if (missing.length > 0) problems.push(`The VSIX lacks files: ${missing.join(', ')}.`);
  const native = vsix.files.filter((file) => /\.(node|so|dylib|dll|exe)$/.test(file));
  if (native.length > 0)
    problems.push(`The VSIX contains native code, which runs on one operating system only: ${native.join(', ')}.`);
  return problems;
}

/** Documents that marketplaces show have a fixed name in the file. */
const RENAMED: Readonly<Record<string, string>> = { license: 'license.txt' };

function nameInVsix(file: string): string {
  const name = file.replaceAll('\\', '/').toLowerCase();
  return FOLDER + (RENAMED[name] ?? name);
}
