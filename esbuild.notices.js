import { readdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';

/** The folder of the package that contains a file: the innermost one, because packages contain packages. */
const PACKAGE_FOLDER = /^.*node_modules\/(?:@[^/]+\/)?[^/]+(?=\/)/;
const LEGAL_FILE = /^(licen[cs]e|copying|notice)\b/i;
/**
 * License texts of packages that leave them out, although their repositories have them.
 *
 * @type {Record<string, string[]>}
 */
const TEXTS_OF_REPOSITORIES = { '@vscode/l10n': ['scripts/release/licenses/vscode-l10n.txt'] };
const RULE = '-'.repeat(80);

/**
 * Writes the license texts of all packages with code in these builds to a file.
 *
 * @param {string} file
 * @param {import('esbuild').Metafile[]} builds
 * @throws {Error} if a package has no license text
 */
export async function writeNotices(file, builds) {
  const inputs = builds
    .flatMap(({ outputs }) => Object.values(outputs))
    .flatMap(({ inputs: all }) => Object.keys(all).filter((name) => (all[name]?.bytesInOutput ?? 0) > 0));
  const folders = new Set(inputs.flatMap((input) => PACKAGE_FOLDER.exec(input) ?? []));
  // Packages with equal names and versions can be in several folders.
  const notices = [...new Set(await Promise.all([...folders].map(noticeOf)))].sort();
  const sections = notices.map((notice) => `${RULE}\n${notice}\n`);
  await writeFile(file, `Cloud Compute contains code of these packages.\n\n${sections.join('\n')}`);
}

/**
 * Returns the name, the version, and the license texts of a package.
 *
 * @param {string} folder
 */
async function noticeOf(folder) {
  const { name, version, license } = JSON.parse(await readFile(path.join(folder, 'package.json'), 'utf8'));
  const own = (await readdir(folder)).filter((file) => LEGAL_FILE.test(file)).sort();
  const files = own.length > 0 ? own.map((file) => path.join(folder, file)) : TEXTS_OF_REPOSITORIES[name];
  if (!license || !files) throw new Error(`${name} ${version} has no license text.`);
  const texts = await Promise.all(files.map((file) => readFile(file, 'utf8')));
  return [`${name} ${version} (${license})`, ...texts.map((text) => text.replaceAll('\r\n', '\n').trim())].join('\n\n');
}
