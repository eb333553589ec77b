import { open, rename, rm } from 'node:fs/promises';

/** Appends a text to the file. Resolves once another text can follow. */
export type WriteText = (text: string) => Promise<void>;

/** Size of a write, in UTF-16 code units. */
const WRITE_LENGTH = 1_048_576;

/**
 * Writes a file in pieces. An existing file is replaced once the new one is complete. After a failure, the existing file is unchanged.
 *
 * @param mode permission bits of the file. Default: those of every new file of the user
 * @throws the errors of `write` and of the file system
 */
export async function replaceFile(
  file: string,
  write: (write: WriteText) => Promise<unknown>,
  mode?: number,
): Promise<void> {
  const temporary = `${file}.tmp`;
  const handle = await open(temporary, 'w', mode);
  let texts: string[] = [];
  let length = 0;
  const flush = async (): Promise<void> => {
    await handle.appendFile(texts.join(''));
    [texts, length] = [[], 0];
  };
  try {
    await write(async (text) => {
      texts.push(text);
      length += text.length;
      if (length >= WRITE_LENGTH) await flush();
    });
    await flush();
    await handle.close();
    await rename(temporary, file);
  } catch (error) {
    await handle.close().catch(() => undefined);
    await rm(temporary, { force: true });
    throw error;
  }
}
