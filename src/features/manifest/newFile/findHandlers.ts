import path from 'node:path';
import pMap from 'p-map';
import * as vscode from 'vscode';
import { fileExists } from '../../../kit/files.ts';
import {
  compareHandlerPaths,
  detectHandler,
  HANDLER_GLOB,
  SKIPPED_FOLDERS,
  type Handler,
} from '../model/starters/detectHandler.ts';
import process from 'node:process';

/** Limits of a search: number of files, size of a file in bytes, and number of files that are read at the same time. */
const MAX_FILES = 2_000;
const LARGEST_BYTES = 256 * 1_024;
const CONCURRENCY = 16;

/** A worker in the workspace. */
export interface FoundHandler {
  readonly handler: Handler;
  /** The source file. */
  readonly uri: vscode.Uri;
  /** Path of the file in the searched folder, with slashes. */
  readonly path: string;
}

/** Searches a folder of the workspace for workers. Resolves with the most likely entry points first. */
export async function findHandlers(root: vscode.Uri, signal: AbortSignal): Promise<FoundHandler[]> {
  const token = new vscode.CancellationTokenSource();
  signal.addEventListener('abort', () => token.cancel(), { once: true });
  const exclude = new vscode.RelativePattern(root, `**/{${SKIPPED_FOLDERS.join(',')}}/**`);
  const glob = new vscode.RelativePattern(root, HANDLER_GLOB);
  const files = await vscode.workspace.findFiles(glob, exclude, MAX_FILES, token.token);
  const found = await pMap(files, (uri) => (signal.aborted ? undefined : read(root, uri)), {
    concurrency: CONCURRENCY,
  });
  token.dispose();
  return found.filter((one) => one !== undefined).sort((a, b) => compareHandlerPaths(a.path, b.path));
}

async function read(root: vscode.Uri, uri: vscode.Uri): Promise<FoundHandler | undefined> {
  try {
    if ((await vscode.workspace.fs.stat(uri)).size > LARGEST_BYTES) return undefined;
    const text = new TextDecoder().decode(await vscode.workspace.fs.readFile(uri));
    const handler = detectHandler(path.posix.basename(uri.path), text);
    return handler && { handler, uri, path: path.posix.relative(root.path, uri.path) };
  } catch {
    // The file was deleted or cannot be read.
    return undefined;
  }
}

const VENV_FOLDERS = ['.venv', 'venv'];
const VENV_PYTHONS = ['bin/python', 'Scripts/python.exe'];

/**
 * Returns the interpreter of the virtual environment nearest to a worker: in its folder, or in a parent up to `root`. The path is relative
 * to the folder of the worker. Without a virtual environment, returns the name of the default interpreter.
 */
export async function pythonFor(handler: vscode.Uri, root: vscode.Uri): Promise<string> {
  const start = path.posix.dirname(handler.path);
  for (let folder = start; folder.startsWith(root.path); folder = path.posix.dirname(folder)) {
    for (const venv of VENV_FOLDERS)
      for (const python of VENV_PYTHONS) {
        const file = path.posix.join(folder, venv, python);
        if (await fileExists(handler.with({ path: file }))) return path.posix.relative(start, file);
      }
    if (folder === path.posix.dirname(folder)) break;
  }
  return pythonName();
}

/** Returns the usual name of the Python interpreter on this machine. */
export function pythonName(): string {
  return process.platform === 'win32' ? 'python' : 'python3';
}
