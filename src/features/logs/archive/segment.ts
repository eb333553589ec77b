import { open, readFile, rename, rm, truncate, writeFile } from 'node:fs/promises';
import path from 'node:path';
import * as z from 'zod';
import { parseJson } from '../../../contract/parsedJson.ts';
import { BLOCK_LINES } from './readableLog.ts';
import { decodeLine, timeAfter } from './storedLine.ts';

/* A file with a part of a log. A full file never changes, and its index is stored next to it. */

/** A block of lines in a segment. */
export interface SegmentBlock {
  /** Number of lines in the segment before the block. */
  readonly first: number;
  /** Number of bytes in the segment before the block. */
  readonly offset: number;
  /** Time of the first line, in ms since the epoch. */
  readonly at: number;
}

export interface Segment {
  readonly file: string;
  lines: number;
  bytes: number;
  readonly blocks: SegmentBlock[];
  /** Time of the last line, in ms since the epoch. */
  lastAt: number;
}

const Index = z.object({
  lines: z.int().min(0),
  bytes: z.int().min(0),
  lastAt: z.number(),
  blocks: z.array(z.tuple([z.int().min(0), z.int().min(0), z.number()])),
});

const EXTENSION = '.log';
const DIGITS = 8;

/** Returns the path of the segment with a number. Names sort in the order of the numbers. */
export function segmentFile(folder: string, number: number): string {
  return path.join(folder, `${String(number).padStart(DIGITS, '0')}${EXTENSION}`);
}

/** Returns the number of a segment, or undefined for any other file. */
export function segmentNumber(name: string): number | undefined {
  const match = /^(\d{8})\.log$/.exec(path.basename(name));
  return match ? Number(match[1]) : undefined;
}

export function emptySegment(file: string, lastAt: number): Segment {
  return { file, lines: 0, bytes: 0, blocks: [], lastAt };
}

/** Counts a line at the end of a segment. Begins a block if the last one is full. @returns whether a block begins with the line */
export function countLine(segment: Segment, bytes: number, at: number): boolean {
  const last = segment.blocks.at(-1);
  const begins = last === undefined || segment.lines - last.first >= BLOCK_LINES;
  if (begins) segment.blocks.push({ first: segment.lines, offset: segment.bytes, at });
  segment.lines++;
  segment.bytes += bytes;
  segment.lastAt = at;
  return begins;
}

/** Stores the index of a full segment, so that the next start does not read the segment. */
export async function writeIndex({ file, lines, bytes, lastAt, blocks }: Segment): Promise<void> {
  const index: z.infer<typeof Index> = {
    ...{ lines, bytes, lastAt },
    blocks: blocks.map(({ first, offset, at }) => [first, offset, at]),
  };
  await writeFile(indexFile(file), JSON.stringify(index), { mode: 0o600 });
}

/** Reads a segment. Without a valid index, reads its lines and removes an incomplete last line. @param before time of the line before it */
export async function readSegment(file: string, before: number): Promise<Segment> {
  const stored = Index.safeParse(parseJson(await readFile(indexFile(file), 'utf8').catch(() => ''))).data;
  const size = await sizeOf(file);
  if (stored?.bytes === size) {
    return { file, ...stored, blocks: stored.blocks.map(([first, offset, at]) => ({ first, offset, at })) };
  }
  const segment = emptySegment(file, before);
  const content = await readFile(file);
  for (let at = 0; ;) {
    const end = content.indexOf('\n', at);
    if (end < 0) break;
    const { event } = decodeLine(content.toString('utf8', at, end));
    countLine(segment, end + 1 - at, timeAfter(segment.lastAt, event));
    at = end + 1;
  }
  if (segment.bytes < content.length) await truncate(file, segment.bytes);
  return segment;
}

/** Moves a segment to another file, and returns it. */
export async function moveSegment(segment: Segment, file: string): Promise<Segment> {
  await rename(segment.file, file);
  // Only a full segment has an index.
  await rename(indexFile(segment.file), indexFile(file)).catch(() => undefined);
  return { ...segment, file };
}

/** Deletes a segment. */
export async function removeSegment({ file }: Segment): Promise<void> {
  await Promise.all([rm(file, { force: true }), rm(indexFile(file), { force: true })]);
}

function indexFile(file: string): string {
  return file.replace(/\.log$/, '.json');
}

async function sizeOf(file: string): Promise<number> {
  const handle = await open(file, 'r');
  try {
    return (await handle.stat()).size;
  } finally {
    await handle.close();
  }
}
