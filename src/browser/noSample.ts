import * as vscode from 'vscode';
import type { registerSample as onMachine } from '../features/firstSteps/registerSample.ts';

/** Replaces the sample, which needs the local platform. `browserLimits` registers its command. */
export const registerSample: typeof onMachine = () => vscode.Disposable.from();
