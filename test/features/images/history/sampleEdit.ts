import type { EditedImage, EditSource, FinishedEdit } from '../../../../src/features/images/model/imageEdit.ts';
import type { NewRecord } from '../../../../src/features/images/history/model/keptRecord.ts';

export const sampleEdit = (id: string): FinishedEdit => ({
  id,
  parameters: { prompt: 'make it gray', negativePrompt: '', seed: 7, format: 'png', safetyChecker: true },
  url: `https://images.example.com/${encodeURIComponent(id)}.png`,
  expiresAt: 2_000_000,
  cost: 0.02,
  delayTime: 12,
  executionTime: 345,
  workerId: 'w1',
});

export const sampleImage = (bytes = 10): EditedImage => ({
  bytes: Buffer.alloc(bytes, 1),
  mediaType: 'image/png',
  width: 4,
  height: 3,
});

export const sampleSource = (bytes = 5): Extract<EditSource, { kind: 'file' }> => ({
  kind: 'file',
  name: 'photos/cat.jpg',
  bytes: Buffer.alloc(bytes, 2),
  mediaType: 'image/jpeg',
});

/** @param time ms since the epoch */
export const sampleRecord = (id: string, time: number, changes: Partial<NewRecord> = {}): NewRecord => ({
  ...{ edit: sampleEdit(id), image: sampleImage(), source: sampleSource() },
  time,
  ...changes,
});
