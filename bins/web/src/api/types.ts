// SPDX-License-Identifier: Apache-2.0
// What the API's answers look like as JSON: fields that are zero or empty are left out, enumerations
// are numbers, and times are nanoseconds since 1970.

export interface Amount { resource: string; amount?: number }

export interface Hold {
  by?: string;
  reason?: string;
  sinceNs?: number;
  blocked?: boolean;
  waits?: boolean;
}

export interface JobSummary {
  jobId: string;
  queue: string;
  jobSet: string;
  nameSpace?: string;
  owner?: string;
  state?: number;
  priority?: number;
  priorityClass?: string;
  requests?: Amount[];
  submittedNs?: number;
  changedNs?: number;
  cluster?: string;
  node?: string;
  pool?: string;
  run?: number;
  leasedNs?: number;
  startedNs?: number;
  finishedNs?: number;
  exitCode?: number;
  hasExitCode?: boolean;
  reason?: string;
  gang?: string;
  gangCardinality?: number;
  note?: string;
  clusterSilent?: boolean;
  reasonCode?: string;
  stopping?: string;
  hold?: Hold;
  name?: string;
}

export interface FoundRun {
  runId: string;
  cluster?: string;
  node?: string;
  pool?: string;
  state?: string;
  leasedNs?: number;
  pendingNs?: number;
  startedNs?: number;
  finishedNs?: number;
  exitCode?: number;
  hasExitCode?: boolean;
  failureCategory?: string;
  failureSubcategory?: string;
  error?: string;
  note?: string;
}

export interface FoundJob {
  summary: JobSummary;
  annotations?: Record<string, string>;
  labels?: Record<string, string>;
  runs?: FoundRun[];
  requestor?: string;
}

export interface Condition {
  field: string;
  match?: string;
  values?: string[];
  negated?: boolean;
  key?: string;
}

export interface FindJobsRequest {
  where?: string;
  conditions?: Condition[];
  orderBy?: string;
  ascending?: boolean;
  limit?: number;
  cursor?: string;
  activeJobSets?: boolean;
}

export interface FindJobsResponse {
  jobs?: FoundJob[];
  cursor?: string;
  incomplete?: boolean;
  lookedAt?: number;
}

export interface GroupJobsRequest {
  where?: string;
  conditions?: Condition[];
  groupBy: string;
  key?: string;
  orderBy?: string;
  ascending?: boolean;
  limit?: number;
  skip?: number;
  activeJobSets?: boolean;
}

export interface JobGroup {
  name?: string;
  count?: number;
  jobsByState?: Record<string, number>;
  submittedNs?: number;
  changedFirstNs?: number;
  changedLastNs?: number;
}

export interface GroupJobsResponse {
  groups?: JobGroup[];
  groupsInAll?: number;
  incomplete?: boolean;
}

export interface Explanation {
  state?: string;
  verdict?: string;
  code?: string;
  pools?: PoolExplanation[];
  placeInQueue?: number;
  ahead?: { jobId: string; why?: string }[];
  run?: { number?: number; cluster?: string; node?: string; round?: number; preemptor?: string };
  notes?: string[];
}

export interface PoolExplanation {
  pool: string;
  code?: string;
  never?: boolean;
  round?: number;
  roundNs?: number;
  text?: string;
  nodes?: { nodes?: number; why: string }[];
  remedies?: string[];
  queue?: Share & { queue: string };
  before?: (Share & { queue: string })[];
  stops?: { code?: string; sentence: string; jobs?: number }[];
}

export interface Share {
  fairShare?: number;
  actualShare?: number;
  demandShare?: number;
}

export interface Timestamp {
  seconds?: number;
  nanos?: number;
}

export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };

export interface JobDescription {
  summary: JobSummary;
  details?: { jobSpec?: { [key: string]: Json }; cancelReason?: string; cancelUser?: string };
  reasonLines?: string[];
  traceId?: string;
  history?: { [kind: string]: EventBody }[];
  historyHidden?: string;
  placeInQueue?: number;
}

export interface EventBody {
  created?: Timestamp;
  [field: string]: unknown;
}

export interface QueueSummary extends Share {
  queue: {
    name: string;
    priorityFactor?: number;
    userOwners?: string[];
    groupOwners?: string[];
    cordoned?: boolean;
    labels?: Record<string, string>;
    resourceLimits?: Record<string, number>;
    resourceLimitsByPriorityClassName?: Record<
      string,
      { maximumResourceFraction?: Record<string, number> }
    >;
  };
  queued?: number;
  leased?: number;
  pending?: number;
  running?: number;
  succeeded?: number;
  failed?: number;
  cancelled?: number;
  preempted?: number;
  shares?: (Share & { pool: string })[];
  sharePool?: string;
  slowed?: number;
  held?: number;
}

export interface Operation {
  id: string;
  kind?: string;
  state?: string;
  by?: string;
  reason?: string;
  total?: number;
  done?: number;
  deadlineNs?: number;
  detail?: string;
}

export interface NodeSummary {
  cluster: string;
  name: string;
  pool?: string;
  schedulable?: boolean;
  state?: string;
  total?: Amount[];
  used?: Amount[];
  labels?: Record<string, string>;
  taints?: { key: string; value?: string; effect?: string }[];
  runs?: number;
  reason?: string;
  drain?: Operation;
}

export interface ClusterSummary {
  name: string;
  pool?: string;
  backend?: string;
  state?: string;
  nodes?: number;
  runs?: number;
  lastHeardNs?: number;
  cordon?: string;
  drain?: Operation;
}

export interface PoolSummary {
  name: string;
  clusters?: number;
  nodes?: number;
  total?: Amount[];
  used?: Amount[];
  silentNodes?: number;
}

export interface JobSetSummary {
  queue: string;
  jobSet: string;
  jobsByState?: Record<string, number>;
  submittedNs?: number;
  changedNs?: number;
}

export interface Version {
  version?: string;
  commit?: string;
  epoch?: number;
  position?: number;
  startedNs?: number;
  preset?: string;
}

export interface WhoAmI {
  name?: string;
  groups?: string[];
  scheme?: string;
  permissions?: string[];
}

export interface Span {
  spanId: number;
  parentId?: number;
  /// What caused it in another trace.
  linkSpanId?: number;
  name: string;
  actor?: string;
  process?: string;
  startNs: number;
  waitingNs?: number;
  durationNs?: number;
}

export interface LogChunk {
  data?: string;
  nextOffset?: number;
  /// Goes back to the server with the offset.
  mark?: string;
  end?: boolean;
  run?: number;
  /// Where the next question goes on; none: by the offset. And in words what is missing before data.
  position?: string;
  lost?: string;
}
