import { once } from 'node:events';
import path from 'node:path';
import process from 'node:process';
import { createInterface } from 'node:readline';
import { startChild } from './children.ts';

export interface Question {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** Asks questions while `work` runs, each in a process of its own. Resolves with the sorted durations of the answers to each, in ms. */
export async function answerTimesDuring(work: () => Promise<unknown>, ...questions: Question[]): Promise<number[][]> {
  const askers = await Promise.all(questions.map(startAsker));
  await work();
  return Promise.all(askers.map((stop) => stop()));
}

/** Resolves once the first answers have arrived, so that the start of the process is not measured. */
async function startAsker(question: Question): Promise<() => Promise<number[]>> {
  const program = path.join(import.meta.dirname, 'answerTimes.mjs');
  const child = startChild(process.execPath, [program], { errors: 'inherit' });
  const lines = createInterface({ input: child.process.stdout });
  child.process.stdin.write(JSON.stringify(question));
  await once(lines, 'line');
  const last = once(lines, 'line');
  return async () => {
    await child.stop();
    const [times] = (await last) as [string];
    return (JSON.parse(times) as number[]).toSorted((left, right) => left - right);
  };
}
