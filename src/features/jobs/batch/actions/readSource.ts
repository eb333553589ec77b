import { createReadStream } from 'node:fs';
import { readdir, readFile, stat } from 'node:fs/promises';
import path from 'node:path';
import { JOB_FILE_SUFFIX } from '../../../../contract/jobFile.ts';
import { MAX_RUN_BYTES } from '../../../../contract/job.ts';
import { dataUrl, mimeTypeOf } from '../../model/dataUrl.ts';
import { readJobFile } from '../../model/checkJobFile.ts';
import { csvRows } from '../model/csv.ts';
import { broken, rowOf, rowOfText, type SourceRow } from '../model/sourceRow.ts';
import { linesOf, utf8Text } from '../model/lines.ts';

/** Kinds of sources, by what they contain. */
type SourceKind = 'jsonLines' | 'csv' | 'folder';

const KINDS: Readonly<Record<string, SourceKind>> = {
  ...{ '.jsonl': 'jsonLines', '.ndjson': 'jsonLines', '.csv': 'csv', '.tsv': 'csv' },
};

export interface Source {
  readonly kind: SourceKind;
  readonly path: string;
  /** Names of the files of a folder, in the order of their rows. Empty for other kinds. */
  readonly files: readonly string[];
  /** Whether the folder contains files that are not JSON. They become data URLs. */
  readonly hasMedia: boolean;
}

/** Returns the source at a path, or undefined if its kind is not known. @throws the error of the file system */
export async function findSource(location: string): Promise<Source | undefined> {
  if (!(await stat(location)).isDirectory()) {
    const kind = KINDS[path.extname(location).toLowerCase()];
    return kind && { kind, path: location, files: [], hasMedia: false };
  }
  const entries = await readdir(location, { withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile() && !entry.name.startsWith('.')).map(({ name }) => name);
  files.sort(new Intl.Collator('en', { numeric: true }).compare);
  return { kind: 'folder', path: location, files, hasMedia: files.some((name) => !isJson(name)) };
}

const isJson = (name: string): boolean => name.toLowerCase().endsWith('.json');

interface ReadOptions {
  /** Member of the input that receives the data URL of a file. */
  readonly member: string;
  /** Receives all bytes in the order of the rows. */
  readonly onBytes: (bytes: Uint8Array) => void;
}

/** Reads the rows of a source as a stream. @throws SourceError, or the error of the file system */
export function readSource(source: Source, options: ReadOptions): AsyncIterable<SourceRow> {
  if (source.kind === 'folder') return folderRows(source, options);
  const bytes = observed(createReadStream(source.path, { highWaterMark: 262_144 }), options.onBytes);
  return source.kind === 'csv' ? csvRows(bytes) : jsonLinesRows(bytes);
}

async function* observed(bytes: AsyncIterable<Uint8Array>, onBytes: ReadOptions['onBytes']) {
  for await (const chunk of bytes) {
    onBytes(chunk);
    yield chunk;
  }
}

/** A base64 text has four characters for three bytes. */
const MAX_MEDIA_BYTES = Math.floor((MAX_RUN_BYTES * 3) / 4);

async function* folderRows(source: Source, { member, onBytes }: ReadOptions): AsyncGenerator<SourceRow, void> {
  for (const name of source.files) {
    const file = path.join(source.path, name);
    const { size } = await stat(file);
    if (size > (isJson(name) ? 2 * MAX_RUN_BYTES : MAX_MEDIA_BYTES)) {
      yield broken(name, { code: 'tooLarge' });
      continue;
    }
    const bytes = await readFile(file);
    onBytes(bytes);
    yield isJson(name) ? jsonRow(name, bytes) : rowOf(name, { input: { [member]: dataUrl(mimeTypeOf(name), bytes) } });
  }
}

function jsonRow(name: string, bytes: Uint8Array): SourceRow {
  const text = utf8Text(bytes);
  if (text === undefined) return broken(name, { code: 'notUtf8' });
  if (!name.toLowerCase().endsWith(JOB_FILE_SUFFIX)) return rowOfText(name, text);
  const { body, problem } = readJobFile(text);
  return body ? rowOf(name, body) : broken(name, { code: 'invalid', message: problem });
}

/** White space makes a line longer than the body that it contains. */
const MAX_LINE_BYTES = 2 * MAX_RUN_BYTES;

/** Reads JSON Lines: each line is an input or a whole body. Empty lines are skipped. */
export async function* jsonLinesRows(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<SourceRow, void> {
  for await (const { number, bytes: line } of linesOf(bytes, MAX_LINE_BYTES)) {
    const text = line && utf8Text(line);
    if (text === undefined) yield broken(number, { code: line ? 'notUtf8' : 'tooLarge' });
    else if (text.trim() !== '') yield rowOfText(number, text);
  }
}
