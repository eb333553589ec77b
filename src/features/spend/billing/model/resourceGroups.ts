import * as l10n from '@vscode/l10n';
import type { NetworkVolumeBillingReport, ServerlessBillingReport } from '../../../../contract/billingReports.ts';
import type { GpuType } from '../../../../contract/catalog.ts';
import type { Endpoint } from '../../../../contract/endpoint.ts';
import type { NetworkVolume } from '../../../../contract/networkVolume.ts';
import { foreign } from '../../../../text/shownText.ts';
import { spendByGroup, type Group, type GroupAmount, type Spend } from './groups.ts';

/*
 * Spend by endpoint, GPU type, and volume, from the reports of serverless endpoints and network volumes. Names come from lists that can be
 * missing, because a key can have access to bills only.
 */

type Named = Pick<Endpoint, 'id' | 'name'>;

/** Returns the spend of each serverless endpoint. Deleted endpoints have only an ID. */
export function spendByEndpoint(report: ServerlessBillingReport, endpoints: readonly Named[] | undefined): Spend {
  return spendByGroup({
    query: report.metadata.query,
    total: report.metadata.totals.totalAmount,
    amounts: report.records.map(({ startTime, serverlessId, totalAmount }) => ({
      startTime,
      groupId: serverlessId,
      amount: totalAmount,
    })),
    groupOf: namedGroups(endpoints),
  });
}

/** Returns the spend of each network volume. Deleted volumes have only an ID. */
export function spendByVolume(
  report: NetworkVolumeBillingReport,
  volumes: readonly Pick<NetworkVolume, 'id' | 'name'>[] | undefined,
): Spend {
  return spendByGroup({
    query: report.metadata.query,
    total: report.metadata.totals.totalAmount,
    amounts: report.records.map(({ startTime, networkVolumeId, totalAmount }) => ({
      startTime,
      groupId: networkVolumeId,
      amount: totalAmount,
    })),
    groupOf: namedGroups(volumes),
  });
}

function namedGroups(resources: readonly Named[] | undefined): (id: string) => Group {
  const names = new Map(resources?.map(({ id, name }) => [id, name]));
  return (id) => {
    const name = names.get(id);
    const detail = foreign(id).text;
    if (name !== undefined) return { id, label: foreign(name).text, detail };
    return { id, label: resources ? l10n.t`${detail} (deleted)` : detail };
  };
}

const CPU: Group = { id: 'cpu', label: l10n.t('CPU workers') };
const DISK: Group = { id: 'disk', label: l10n.t('Disks') };
const UNKNOWN: Group = { id: 'unknown', label: l10n.t('GPUs of deleted endpoints') };
const REST: Group = { id: 'rest', label: l10n.t('Other') };

type GpuEndpoint = Pick<Endpoint, 'id' | 'gpu'>;
export type NamedGpuEndpoint = Named & GpuEndpoint;

/**
 * Returns the serverless spend by the GPU types that each endpoint allows today. The service chooses among them, so types of one endpoint
 * are one group. CPUs and disks are groups of their own, and so are the GPUs of endpoints that no longer exist.
 */
export function spendByGpu(
  report: ServerlessBillingReport,
  endpoints: readonly GpuEndpoint[],
  gpuTypes: readonly GpuType[] | undefined,
): Spend {
  const groups = new Map([CPU, DISK, UNKNOWN, REST].map((group) => [group.id, group]));
  const groupOfEndpoint = new Map<string, string>();
  for (const endpoint of endpoints) {
    const group = gpuGroup(endpoint, gpuTypes);
    groups.set(group.id, group);
    groupOfEndpoint.set(endpoint.id, group.id);
  }
  function* amounts(): Generator<GroupAmount> {
    for (const { startTime, serverlessId, totalAmount, gpuAmount, cpuAmount, diskAmount } of report.records) {
      yield { startTime, groupId: groupOfEndpoint.get(serverlessId) ?? UNKNOWN.id, amount: gpuAmount };
      yield { startTime, groupId: CPU.id, amount: cpuAmount };
      yield { startTime, groupId: DISK.id, amount: diskAmount };
      const rest = totalAmount - gpuAmount - cpuAmount - diskAmount;
      if (Math.abs(rest) >= ROUNDING_ERROR) {
        for (const [amount, sign] of [
          [totalAmount, 1],
          [gpuAmount, -1],
          [cpuAmount, -1],
          [diskAmount, -1],
        ] as const)
          yield { startTime, groupId: REST.id, amount: sign * amount };
      }
    }
  }
  return spendByGroup({
    query: report.metadata.query,
    total: report.metadata.totals.totalAmount,
    amounts: amounts(),
    groupOf: (id) => groups.get(id) ?? UNKNOWN,
  });
}

/** Difference between a total and the sum of its amounts that counts as a rounding error of the service, in US dollars. */
const ROUNDING_ERROR = 1e-9;

/** Maximum number of GPU types that a label names. */
const MAX_NAMED_TYPES = 3;

function gpuGroup({ gpu }: GpuEndpoint, gpuTypes: readonly GpuType[] | undefined): Group {
  const pools = gpu?.pools ?? [];
  if (pools.length === 0) return UNKNOWN;
  const excluded = gpu?.excludedTypes ?? [];
  const types = (gpuTypes ?? []).filter(
    ({ id, pool }) => pool !== null && pools.includes(pool) && !excluded.includes(id),
  );
  const poolNames = foreign(pools.join(', ')).text;
  if (types.length === 0) return { id: `gpu ${pools.toSorted().join(' ')}`, label: poolNames };
  const names = types.slice(0, MAX_NAMED_TYPES).map(({ name }) => name);
  const more = types.length > names.length ? ', …' : '';
  const ids = types.map(({ id }) => id).sort();
  return { id: `gpu ${ids.join(' ')}`, label: foreign(names.join(' / ') + more).text, detail: poolNames };
}
