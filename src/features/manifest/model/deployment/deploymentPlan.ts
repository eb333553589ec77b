import { isDeepStrictEqual } from 'node:util';
import * as l10n from '@vscode/l10n';
import type { CreateEndpointBody, Endpoint, UpdateEndpointBody } from '../../../../contract/endpoint.ts';
import type { ProcessCommand } from '../../../../account/consent/trustDecision.ts';
import type { SettingChange } from './difference.ts';
import type { GateState } from '../../gate/actions/gateVerdicts.ts';
import type { PartAddress } from './matchEndpoint.ts';
import type { ManifestLanguage } from '../text/parsed.ts';
import type { ManifestProblem } from '../problem.ts';
import type { TestFileError, VerificationTest } from './verificationTest.ts';
import type { Manifest } from '../../../../contract/manifest.ts';

/* Plan of a deployment: the steps that make the endpoints of a connection match the manifests of a folder. */

/**
 * Reason why a file has no text.
 *
 * - `folder`: it is a folder with the name of a manifest.
 * - `tooLarge`: it is larger than any manifest.
 * - `notText`: it contains bytes that are not text.
 * - `unreadable`: the file system refused to read it.
 */
export type UnreadableReason = 'folder' | 'tooLarge' | 'notText' | 'unreadable';

/** A manifest file of the folder. */
export interface DeploymentFile {
  /** URI of the file. */
  readonly file: string;
  /** Path relative to the folder, with slashes. */
  readonly fileName: string;
  readonly language: ManifestLanguage;
  /** Absolute path of the file's folder. Undefined if the folder is not on this machine. */
  readonly folder: string | undefined;
  readonly content: { readonly text: string } | { readonly unreadable: UnreadableReason; readonly error?: unknown };
}

/** Position of a step: one endpoint of a file. */
export interface StepSource extends PartAddress {
  readonly fileName: string;
  /** Name in the manifest. Undefined if the name is not readable. */
  readonly name: string | undefined;
}

interface Sendable {
  readonly manifest: Manifest;
  /** Command that the platform runs as a process because of this step. */
  readonly process: ProcessCommand | undefined;
  /** The test that verifies the step. */
  readonly test: VerificationTest | undefined;
}

export type CreateStep = StepSource &
  Sendable & { readonly kind: 'create'; readonly name: string; readonly body: CreateEndpointBody };

export type UpdateStep = StepSource &
  Sendable & {
    readonly kind: 'update';
    readonly name: string;
    readonly endpoint: Endpoint;
    readonly body: UpdateEndpointBody;
    readonly changes: readonly SettingChange[];
    readonly replacesWorkers: boolean;
  };

/** Deletes an endpoint that no file describes. */
export interface DeleteStep {
  readonly kind: 'delete';
  readonly name: string;
  readonly endpoint: Endpoint;
}

/** A step that can be sent. */
export type Step = CreateStep | UpdateStep | DeleteStep;

export type UnchangedPart = StepSource & {
  readonly kind: 'unchanged';
  readonly endpoint: Endpoint;
  /** Set if the last deployment was not verified. `test` verifies it. */
  readonly unverified?: { readonly test: VerificationTest | undefined } | undefined;
};

/** A part that cannot be deployed. */
export type Obstacle =
  | { readonly kind: 'unreadable'; readonly reason: UnreadableReason; readonly error?: unknown }
  /** The manifest has errors. */
  | { readonly kind: 'invalid'; readonly problem: ManifestProblem; readonly line: number; readonly more: number }
  /** The job file or the request file of `x-verify` cannot be used. */
  | { readonly kind: 'testFile'; readonly field: TestFileError['field']; readonly reason: string }
  /** The manifest has environments, and none is chosen, or not one of them. `known` are their names. */
  | { readonly kind: 'environment'; readonly chosen: string | undefined; readonly known: readonly string[] }
  /** `x-local.directory` is relative, but the file has no folder on this machine. */
  | { readonly kind: 'noFolder' }
  /** Variables whose values are not available. */
  | { readonly kind: 'unresolved'; readonly variables: readonly string[] }
  /** `x-gate` needs a passed gate for this content. `value` is the endpoint as the file has it. */
  | { readonly kind: 'gate'; readonly state: GateState; readonly value: unknown }
  /** The endpoint cannot be changed in this way. */
  | { readonly kind: 'refused'; readonly endpoint: Endpoint; readonly reasons: readonly string[] }
  /** Several endpoints have the name. */
  | { readonly kind: 'ambiguous'; readonly endpointIds: readonly string[] }
  /** Other manifests have the same name or the same endpoint. */
  | { readonly kind: 'conflict'; readonly others: readonly StepSource[] }
  /** The manifest cannot be compared, because the platform did not return its template. */
  | { readonly kind: 'notCompared'; readonly error: unknown };

export type BlockedPart = StepSource & { readonly kind: 'blocked'; readonly obstacle: Obstacle };

export type PlanPart = CreateStep | UpdateStep | UnchangedPart | BlockedPart;

export interface DeploymentPlan {
  readonly parts: readonly PlanPart[];
  /** Endpoints that belong to no file. */
  readonly notInFiles: readonly Endpoint[];
  /** Whether the endpoints of all files are known. Otherwise, some endpoints of `notInFiles` can belong to unreadable files. */
  readonly complete: boolean;
}

/** Identifies the part of a step in a later plan. */
export function keyOf(step: PlanPart | DeleteStep): string {
  return step.kind === 'delete' ? l10n.t`endpoint ${step.endpoint.id}` : `${step.file}#${step.part}`;
}

/** Returns the steps of a plan that deploy files. */
export function deployingSteps({ parts }: DeploymentPlan): readonly (CreateStep | UpdateStep)[] {
  return parts.filter((part) => part.kind === 'create' || part.kind === 'update');
}

export function deletionsOf({ notInFiles }: DeploymentPlan): readonly DeleteStep[] {
  return notInFiles.map((endpoint) => ({ kind: 'delete', name: endpoint.name, endpoint }));
}

export function blockedParts({ parts }: DeploymentPlan): readonly BlockedPart[] {
  return parts.filter((part) => part.kind === 'blocked');
}

export function unchangedParts({ parts }: DeploymentPlan): readonly UnchangedPart[] {
  return parts.filter((part) => part.kind === 'unchanged');
}

/** A chosen step after the plan was read again. */
export type ConfirmedStep =
  | { readonly kind: 'same'; readonly step: Step }
  /** The files or the endpoints have changed, so that the step is not what the user chose. */
  | { readonly kind: 'changed'; readonly step: Step };

/** Compares the chosen steps with a later plan. A step that differs must not be sent. */
export function confirmSteps(chosen: readonly Step[], later: DeploymentPlan): readonly ConfirmedStep[] {
  const current = new Map([...later.parts, ...deletionsOf(later)].map((step) => [keyOf(step), step]));
  return chosen.map((step) => {
    const now = current.get(keyOf(step));
    return now && isSame(step, now) ? { kind: 'same', step: now } : { kind: 'changed', step };
  });
}

function isSame(chosen: Step, now: PlanPart | DeleteStep): now is Step {
  if (chosen.kind !== 'delete' && now.kind === chosen.kind && !isDeepStrictEqual(chosen.test, now.test)) return false;
  if (chosen.kind === 'create') return now.kind === 'create' && isDeepStrictEqual(chosen.body, now.body);
  if (chosen.kind === 'delete') return now.kind === 'delete' && chosen.endpoint.name === now.endpoint.name;
  return (
    now.kind === 'update' &&
    chosen.endpoint.id === now.endpoint.id &&
    isDeepStrictEqual(chosen.body, now.body) &&
    isDeepStrictEqual(chosen.changes, now.changes)
  );
}
