import * as vscode from 'vscode';
import { addressProblem } from './address.ts';
import type { Profile } from './connectionStore.ts';

const STEPS = 5;

/** Asks for the addresses of a hosted platform and for the key; undefined when a person left. */
export async function askForConnection(previous: Profile | undefined): Promise<Profile | undefined> {
  const old = previous?.kind === 'hosted' ? previous : undefined;
  const baseUrl = await askAddress(1, 'Management API address', old?.baseUrl, 'https://api.example.com');
  if (baseUrl === undefined) return undefined;
  const restUrl = await askAddress(2, 'v1 management API address', old?.restUrl ?? baseUrl, baseUrl);
  if (restUrl === undefined) return undefined;
  const queueUrl = await askAddress(3, 'Queue invocation address', old?.queueUrl ?? `${baseUrl}/v2`, `${baseUrl}/v2`);
  if (queueUrl === undefined) return undefined;
  const endpointHost = await askAddress(
    4,
    'Address of load-balanced endpoints, with {endpoint_id} in it',
    old?.endpointHost,
    'https://{endpoint_id}.api.example.com',
  );
  if (endpointHost === undefined) return undefined;
  const apiKey = await vscode.window.showInputBox({
    title: `Connect to a Platform (${STEPS}/${STEPS})`,
    prompt: `API key for ${new URL(baseUrl).host}. It is kept in the secret storage of this editor and sent nowhere else.`,
    password: true,
    ignoreFocusOut: true,
    validateInput: (text) => (text.trim() === '' ? 'A key is needed.' : undefined),
  });
  if (apiKey === undefined) return undefined;
  const name = new URL(baseUrl).host;
  return { kind: 'hosted', name, baseUrl, restUrl, queueUrl, endpointHost, apiKey: apiKey.trim() };
}

async function askAddress(
  step: number,
  prompt: string,
  value: string | undefined,
  placeHolder: string,
): Promise<string | undefined> {
  const answer = await vscode.window.showInputBox({
    title: `Connect to a Platform (${step}/${STEPS})`,
    prompt,
    placeHolder,
    ignoreFocusOut: true,
    ...(value === undefined ? {} : { value }),
    validateInput: addressProblem,
  });
  return answer?.trim().replace(/\/+$/, '');
}
